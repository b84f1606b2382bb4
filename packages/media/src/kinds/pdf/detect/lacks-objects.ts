import { readChunks } from '../../../file/read-file.ts';

const HEADER = /%PDF-[^\r\n]*/;
/** A line that is no comment, and has a letter. */
const WORDS = /^[ \t]*[^%\s].*\p{L}/mu;
const OBJECT = /\d\s+obj\b/;
/** An object's head is shorter. */
const OVERLAP = 64;

/** Whether a file begins as a PDF, and continues with words: nowhere in it is an object, as every PDF has. */
export function lacksObjects(path: string, head: Buffer): boolean {
  if (!WORDS.test(head.toString().replace(HEADER, ''))) return false;
  let before = '';
  for (const chunk of readChunks(path)) {
    const text = before + chunk.toString('latin1');
    if (OBJECT.test(text)) return false;
    before = text.slice(-OVERLAP);
  }
  return true;
}
