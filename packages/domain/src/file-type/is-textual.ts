/** Subtypes of `application/` whose bytes are text; `x-` before a subtype makes no difference. */
const textualApplications = new Set([
  'ecmascript',
  'graphql',
  'javascript',
  'json',
  'json5',
  'json-seq',
  'jsonlines',
  'ndjson',
  'php',
  'httpd-php',
  'perl',
  'python',
  'ruby',
  'sh',
  'shellscript',
  'sql',
  'subrip',
  'tex',
  'toml',
  'typescript',
  'xml',
  'yaml',
]);

const textualSuffix = /\+(?:json|xml|yaml|json-seq)$/;

/** Decides by the structure of the type, not by a list of text types: everything under text/ is text by definition of the tree (RFC 6838). */
export function isTextual(essence: string): boolean {
  if (essence.startsWith('text/')) return true;
  if (!essence.startsWith('application/')) return false;
  const subtype = essence.slice('application/'.length).replace(/^x-/, '');
  return textualApplications.has(subtype) || textualSuffix.test(subtype);
}
