import type { TextFaults, Warning } from '@attache/contracts';

/** Describes the way of a text to UTF-8, for people. */
export function describeDecoding(encoding: string, faults?: TextFaults): string {
  const parts = encoding === 'utf-8' ? [] : [`Decoded from ${encoding} to UTF-8.`];
  if (faults?.otherLines !== undefined) {
    parts.push(`${countOf(faults.otherLines, 'line')} in another encoding decoded from ${faults.linesAs}.`);
  }
  if (faults !== undefined && faults.replaced > 0) {
    parts.push(
      `${countOf(faults.replaced, 'place')} that ${faults.replaced === 1 ? 'is' : 'are'} no text replaced by U+FFFD.`,
    );
  }
  return parts.length === 0 ? 'The byte order mark is left out.' : parts.join(' ');
}

function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** The warning that files were left out of a text; none where none was. */
export function describeLeftOut(count = 0): Warning[] {
  if (count === 0) return [];
  const message = `${countOf(count, 'file')} in the text left out, in whose ${count === 1 ? 'place a word says' : 'places words say'} so. Upload them to show them.`;
  return [{ code: 'text_media_left_out', severity: 'warning', message }];
}
