/** The name that browsers give to every image without one. */
const NAMELESS = /^(image\.\w+)?$/;

type Clipboard = Pick<DataTransfer, 'files' | 'getData'>;

/**
 * The files of a paste; none where text is pasted, so that the browser inserts it. An image without a name of its own gets one with the date of `now`.
 */
export function readPaste(clipboard: Clipboard, now: Date): File[] {
  const files = Array.from(clipboard.files);
  const text = clipboard.getData('text/plain').trim();
  if (text !== '' && !namesOnly(text, files)) return [];
  return files.map((file, index) => (NAMELESS.test(file.name) ? rename(file, now, index) : file));
}

// Copied files bring their names as a text; a table brings its words and an image of itself.
function namesOnly(text: string, files: readonly File[]): boolean {
  const names = new Set(files.map(({ name }) => name));
  return text.split(/\r?\n/).every((line) => names.has(line.slice(line.lastIndexOf('/') + 1).trim()));
}

function rename(file: File, now: Date, index: number): File {
  const ending = /\.(\w+)$/.exec(file.name)?.[1] ?? file.type.replace(/^.*\/|[+;].*$/g, '');
  const place = index === 0 ? '' : `-${index + 1}`;
  const { type, lastModified } = file;
  return new File([file], `pasted-${stampOf(now)}${place}${ending && `.${ending}`}`, { type, lastModified });
}

// That of the clock here, not of UTC.
function stampOf(now: Date): string {
  const here = new Date(now.getTime() - now.getTimezoneOffset() * 60_000);
  return here.toISOString().slice(0, 19).replace('T', '-').replaceAll(':', '');
}
