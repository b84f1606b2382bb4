import { describe, expect, it } from 'vitest';
import { formatBytes, formatTable } from './format-table.ts';

const table = {
  columns: ['name', 'status'],
  rows: [
    ['a', 'active'],
    ['longer', 'suspended'],
  ],
};

describe('a table for people', () => {
  it('has a header and aligned columns, and no blanks at the end of a line', () => {
    expect(formatTable(table, false)).toEqual(['NAME    STATUS', 'a       active', 'longer  suspended']);
  });

  it('is coloured in its header alone', () => {
    const [header, ...rows] = formatTable(table, true);
    expect(header).toBe('\u001b[1mNAME    STATUS\u001b[22m');
    expect(rows).toEqual(formatTable(table, false).slice(1));
  });

  it('keeps a row on its line, and control characters out of the terminal', () => {
    const rows = [['x\n\u001b[2Jy', 'ok']];
    expect(formatTable({ columns: ['name', 'status'], rows }, false)[1]).toBe('x··[2Jy  ok');
  });

  it('without rows is its header', () => {
    expect(formatTable({ columns: ['a', 'b'], rows: [] }, false)).toEqual(['A  B']);
  });
});

it.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1 KiB'],
  [1536, '1.5 KiB'],
  [26_214_400, '25 MiB'],
  [5 * 1024 ** 4, '5 TiB'],
  [Number.MAX_SAFE_INTEGER, '8.0 PiB'],
])('%i bytes are %s', (sizeBytes, text) => {
  expect(formatBytes(sizeBytes)).toBe(text);
});
