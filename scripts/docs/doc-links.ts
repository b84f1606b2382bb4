/** A link of a document. `target` is as written. */
export type DocLink = { line: number; target: string };

const INLINE_LINK = /(?<!!)\[(?:[^\][]|\[[^\]]*\])*\]\(\s*<?([^\s)>]+)>?(?:\s+["'(][^)]*)?\)/g;
const IMAGE = /!\[[^\]]*\]\(\s*<?([^\s)>]+)>?[^)]*\)/g;
const REFERENCE = /^ {0,3}\[[^\]]+\]:\s*<?([^\s>]+)>?/;
const HTML_LINK = /<(?:a|img)\b[^>]*\b(?:href|src)=["']([^"']+)["']/g;
const FENCE = /^ {0,3}(```+|~~~+)/;

/** Links, images and references of a Markdown text; code is skipped. */
export function findLinks(markdown: string): DocLink[] {
  return proseLines(markdown).flatMap(({ text, line }) => {
    const matches = [INLINE_LINK, IMAGE, HTML_LINK].flatMap((pattern) => [...text.matchAll(pattern)]);
    const targets = matches.map((match) => match[1] ?? '');
    const reference = REFERENCE.exec(text)?.[1];
    return [...targets, ...(reference === undefined ? [] : [reference])].map((target) => ({ line, target }));
  });
}

/** The anchors a Markdown text offers: one for every heading, numbered if headings repeat. */
export function listAnchors(markdown: string): Set<string> {
  const anchors = new Set<string>();
  const seen = new Map<string, number>();
  for (const { text } of proseLines(markdown, 'with code')) {
    const heading = /^ {0,3}#{1,6}\s+(.*?)\s*#*\s*$/.exec(text)?.[1];
    if (heading !== undefined) {
      const slug = slugify(heading);
      const times = seen.get(slug) ?? 0;
      seen.set(slug, times + 1);
      anchors.add(times === 0 ? slug : `${slug}-${times}`);
    }
    for (const match of text.matchAll(/<a\b[^>]*\b(?:id|name)=["']([^"']+)["']/g)) anchors.add(match[1] ?? '');
  }
  return anchors;
}

/** Whether a target points into the repository, not to another site. */
export function isLocalTarget(target: string): boolean {
  return !/^([a-z][a-z0-9+.-]*:|\/\/)/i.test(target);
}

/** The anchor that a heading gets on the usual hosts. */
function slugify(heading: string): string {
  const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '');
  return plain
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
    .replaceAll(' ', '-');
}

function proseLines(
  markdown: string,
  code: 'with code' | 'without code' = 'without code',
): { text: string; line: number }[] {
  const lines: { text: string; line: number }[] = [];
  let fence: string | undefined;
  for (const [index, text] of markdown.split('\n').entries()) {
    const mark = FENCE.exec(text)?.[1];
    if (mark !== undefined && (fence === undefined || mark.startsWith(fence))) {
      fence = fence === undefined ? mark : undefined;
    } else if (fence === undefined) {
      lines.push({ text: code === 'with code' ? text : text.replace(/(`+).*?\1/g, ''), line: index + 1 });
    }
  }
  return lines;
}
