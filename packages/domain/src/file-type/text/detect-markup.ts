export type Markup = {
  /** `weak`: a tag of HTML with which other text (Markdown) may start as well. */
  type: 'svg' | 'html' | 'weak-html' | 'xml';
};

const htmlRoots = new Set(['html', 'head', 'body', 'script', 'iframe', 'style', 'title']);

const htmlTags = new Set(
  'a b br button div embed font form h1 h2 h3 i img input link meta object p span table template video'.split(' '),
);

/** Detects the markup of a text from its opening: active types are recognised by their bytes, whatever they are called (S10, S11). */
export function detectMarkup(opening: string): Markup | undefined {
  const isXml = /^\s*<\?xml\s/.test(opening);
  const root = skipProlog(opening);
  if (/^<!doctype\s+html[\s>]/i.test(root)) return { type: 'html' };
  const name = /^<(?:[a-z0-9_-]+:)?([a-z][a-z0-9]*)(?=[\s/>])/i.exec(root)?.[1]?.toLowerCase();
  if (name === 'svg') return { type: 'svg' };
  if (name !== undefined && htmlRoots.has(name)) return { type: 'html' };
  if (isXml) return { type: 'xml' };
  return name !== undefined && htmlTags.has(name) ? { type: 'weak-html' } : undefined;
}

// Blanks, comments, processing instructions and a document type that is not HTML's say nothing about the root element.
function skipProlog(text: string): string {
  let rest = text.trimStart();
  for (;;) {
    const end = findPrologItemEnd(rest);
    if (end === undefined) return rest;
    rest = rest.slice(end).trimStart();
  }
}

function findPrologItemEnd(text: string): number | undefined {
  if (text.startsWith('<!--')) return endOf(text, '-->');
  if (text.startsWith('<?')) return endOf(text, '?>');
  if (!/^<!doctype\s/i.test(text) || /^<!doctype\s+html[\s>]/i.test(text)) return undefined;
  const close = text.indexOf('>');
  if (close < 0) return undefined;
  return text.slice(0, close).includes('[') ? endOf(text, ']', '>') : close + 1;
}

function endOf(text: string, ...delimiters: string[]): number | undefined {
  let end = 0;
  for (const delimiter of delimiters) {
    const found = text.indexOf(delimiter, end);
    if (found < 0) return undefined;
    end = found + delimiter.length;
  }
  return end;
}
