const htmlTags = new Set([
  'html',
  'head',
  'body',
  'script',
  'iframe',
  'style',
  'title',
  'base',
  'meta',
  'object',
  'embed',
]);
const blanks = ' \t\r\n\f\0';

/**
 * HTML, SVG and XML, by the first tag after a byte order mark, blanks, comments and processing instructions. Texts are Latin-1. Such types may hold scripts: a
 * browser must not be led to believe that they are something else.
 */
export function sniffMarkup(text: string): string | undefined {
  const characters = dropByteOrderMark(text);
  const isXml = /^[ \t\r\n]{0,64}<\?xml[ \t\r\n]/i.test(characters);
  const tag = findFirstTag(characters);
  if (tag === undefined) return isXml ? 'application/xml' : undefined;
  const name = tag.slice(tag.indexOf(':') + 1);
  if (name === 'svg') return 'image/svg+xml';
  if (htmlTags.has(name)) return isXml ? 'application/xhtml+xml' : 'text/html';
  return isXml ? 'application/xml' : undefined;
}

// UTF-16 of ASCII is ASCII with zero bytes in between.
function dropByteOrderMark(text: string): string {
  if (text.startsWith('\xef\xbb\xbf')) return text.slice(3);
  return text.startsWith('\xff\xfe') || text.startsWith('\xfe\xff') ? text.slice(2).replaceAll('\0', '') : text;
}

/** Name of the first element, or of the element that the document type names; lower case. */
function findFirstTag(text: string): string | undefined {
  let at = 0;
  while (at < text.length) {
    if (blanks.includes(text.charAt(at))) at += 1;
    else if (text.startsWith('<!--', at)) at = skipPast(text, '-->', at + 2);
    else if (text.startsWith('<?', at)) at = skipPast(text, '>', at);
    else
      return /^<(?:!doctype[ \t\r\n]{1,64})?([a-z][a-z0-9:_-]{0,63})(?=[ \t\r\n\f/>[]|$)/i
        .exec(text.slice(at, at + 160))?.[1]
        ?.toLowerCase();
  }
  return undefined;
}

function skipPast(text: string, end: string, from: number): number {
  const found = text.indexOf(end, from);
  return found < 0 ? text.length : found + end.length;
}
