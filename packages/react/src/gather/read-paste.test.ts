import { describe, expect, it } from 'vitest';
import { readPaste } from './read-paste.ts';

const now = new Date(2026, 10, 30, 9, 5, 7);
const fileOf = (name: string, type = 'image/png') => new File(['x'], name, { type });

const paste = (files: File[], text = '') =>
  readPaste({ files: files as unknown as FileList, getData: () => text }, now).map(({ name }) => name);

describe('a paste', () => {
  it('gives an image without a name one with the date, and several of them different ones', () => {
    expect(paste([fileOf('image.png')])).toEqual(['pasted-2026-11-30-090507.png']);
    expect(paste([fileOf('image.png'), fileOf('', 'image/svg+xml')])).toEqual([
      'pasted-2026-11-30-090507.png',
      'pasted-2026-11-30-090507-2.svg',
    ]);
  });

  it('keeps the type of an image that it names', () => {
    const [file] = readPaste({ files: [fileOf('image.png')] as unknown as FileList, getData: () => '' }, now);
    expect(file?.type).toBe('image/png');
  });

  it('keeps the names of copied files, which some systems also put down as a text', () => {
    expect(paste([fileOf('chart.png')])).toEqual(['chart.png']);
    expect(paste([fileOf('chart.png'), fileOf('b.pdf')], 'chart.png\r\n/home/b.pdf')).toEqual(['chart.png', 'b.pdf']);
  });

  it('leaves a text alone, also where the program that it comes from drew a picture of it', () => {
    expect(paste([], 'words')).toEqual([]);
    expect(paste([fileOf('image.png')], 'A1\tB1')).toEqual([]);
  });
});
