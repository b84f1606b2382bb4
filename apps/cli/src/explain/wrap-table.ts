import type { Table } from '../operator/format-table.ts';

const GAP = 2;
/** A longer word is broken if there is no room for it. */
const LONGEST_WORD = 22;

/** The table with its cells broken into lines, so that it is no wider than this if possible. */
export function wrapTable({ columns, rows }: Table, width: number): Table {
  const widths = shareWidth({ columns, rows }, width - GAP * (columns.length - 1));
  const wrapped = rows.flatMap((row) => {
    const cells = row.map((cell, index) => wrapText(cell, widths[index] ?? LONGEST_WORD));
    const height = Math.max(...cells.map((lines) => lines.length));
    return Array.from({ length: height }, (_, line) => cells.map((lines) => lines[line] ?? ''));
  });
  return { columns, rows: wrapped };
}

/** The widest columns give way first, as far as their longest words allow. */
function shareWidth({ columns, rows }: Table, width: number): number[] {
  const cellsOf = (index: number) => [columns[index] ?? '', ...rows.map((row) => row[index] ?? '')];
  const longest = (texts: readonly string[]) => Math.max(...texts.map((text) => text.length));
  const widths = columns.map((_, index) => longest(cellsOf(index)));
  const least = columns.map((_, index) =>
    Math.min(LONGEST_WORD, longest(cellsOf(index).flatMap((cell) => cell.split(' ')))),
  );
  for (let excess = widths.reduce((sum, each) => sum + each, -width); excess > 0; excess -= 1) {
    const [widest] = [...widths.keys()]
      .filter((index) => (widths[index] ?? 0) > (least[index] ?? 0))
      .toSorted((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0));
    if (widest === undefined) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

/** Lines of a text, broken at its blanks. */
export function wrapText(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((each) => breakWord(each, width))) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}

function breakWord(word: string, width: number): string[] {
  const characters = [...word];
  const count = Math.max(1, Math.ceil(characters.length / width));
  return Array.from({ length: count }, (_, index) => characters.slice(index * width, (index + 1) * width).join(''));
}
