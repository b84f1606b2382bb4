import { describe, expect, it } from 'vitest';
import { readDrop } from './read-drop.ts';

type Entry = FileSystemEntry;

const fileEntry = (name: string): Entry =>
  ({ name, isDirectory: false, file: (take: (file: File) => void) => take(new File(['x'], name)) }) as never;

const brokenEntry = (name: string): Entry =>
  ({ name, isDirectory: false, file: (_: unknown, fail: (error: Error) => void) => fail(new Error('gone')) }) as never;

/** A folder that is read in batches, as browsers do. */
const folderEntry = (name: string, entries: Entry[], batch = 100): Entry =>
  ({
    ...{ name, isDirectory: true },
    createReader() {
      let at = 0;
      return {
        readEntries(take: (found: Entry[]) => void) {
          at += batch;
          take(entries.slice(at - batch, at));
        },
      };
    },
  }) as never;

const drop = async (entries: (Entry | null)[], files: File[] = []) => {
  const items = entries.map((entry) => ({ kind: 'file', webkitGetAsEntry: () => entry }));
  const gathered = await readDrop({ items, files } as never);
  return { ...gathered, files: gathered.files.map(({ name }) => name) };
};

describe('a drop', () => {
  it('brings all files of a folder, however many batches they come in', async () => {
    const names = Array.from({ length: 250 }, (_, index) => `${index}.png`);
    const { files } = await drop([folderEntry('photos', names.map(fileEntry))]);
    expect(files).toEqual(names);
  });

  it('brings those of folders in folders, in their order, and none that a system keeps there for itself', async () => {
    const inner = folderEntry('inner', [fileEntry('b.png'), fileEntry('.DS_Store')]);
    const { files } = await drop([fileEntry('a.png'), folderEntry('outer', [inner, fileEntry('c.png')])]);
    expect(files).toEqual(['a.png', 'b.png', 'c.png']);
  });

  it('names what cannot be read, and brings the rest', async () => {
    const gathered = await drop([folderEntry('outer', [brokenEntry('gone.png'), fileEntry('a.png')])]);
    expect(gathered).toEqual({ files: ['a.png'], unreadable: ['gone.png'] });
  });

  it('brings plain files where the browser knows no entries', async () => {
    expect((await drop([null], [new File(['x'], 'a.png')])).files).toEqual(['a.png']);
  });
});
