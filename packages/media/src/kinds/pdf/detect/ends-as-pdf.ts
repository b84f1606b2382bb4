import { openRandomAccess } from '../../../file/read-file.ts';

const endMarker = '%%EOF';
const tailBytes = 1024;
const printerLanguageExit = '\x1b%-12345X';

/** Whether a file ends as a PDF does. Behind its end there may be blanks, and what closes a part of a mail or the job of a printer. */
export function endsAsPdf(path: string): boolean {
  const file = openRandomAccess(path);
  try {
    const tail = file.bytesAt(Math.max(0, file.sizeBytes - tailBytes), tailBytes).toString('latin1');
    const at = tail.lastIndexOf(endMarker);
    return at >= 0 && isClosing(tail.slice(at + endMarker.length));
  } finally {
    file.close();
  }
}

function isClosing(rest: string): boolean {
  const text = rest.replaceAll('\0', ' ').trim();
  return text === '' || text.startsWith(printerLanguageExit) || /^--\S+$/.test(text);
}
