import { describe, expect, it } from 'vitest';
import { formatTable } from '../operator/format-table.ts';
import { wrapTable, wrapText } from './wrap-table.ts';

const table = {
  columns: ['what', 'why'],
  rows: [
    ['picture', 'it is much too large for what takes it, so that it is made smaller'],
    ['text', 'short'],
  ],
};

describe('a table that is too wide', () => {
  it('has its long cells broken at blanks, each column below itself', () => {
    expect(formatTable(wrapTable(table, 40), false)).toEqual([
      'WHAT     WHY',
      'picture  it is much too large for what',
      '         takes it, so that it is made',
      '         smaller',
      'text     short',
    ]);
  });

  it('stays as it is where there is room', () => {
    expect(wrapTable(table, 200)).toEqual(table);
  });

  it('gets too wide rather than lose a word where there is no room at all', () => {
    const words = (lines: readonly string[]) => lines.join(' ').split(/\s+/).toSorted();
    const narrow = formatTable(wrapTable(table, 1), false);
    expect(words(narrow)).toEqual(words(formatTable(table, false)));
  });
});

describe('text', () => {
  it('is broken at blanks, and inside a word only where that is longer than a line', () => {
    expect(wrapText('a word and abcdefghijkl', 6)).toEqual(['a word', 'and', 'abcdef', 'ghijkl']);
    expect(wrapText('', 6)).toEqual(['']);
  });
});
