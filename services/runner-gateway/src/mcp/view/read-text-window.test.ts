import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findPageOffset, readTextWindow } from './read-text-window.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'attache-text-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function write(text: string): Promise<string> {
  const path = join(folder, `${text.length}`);
  await writeFile(path, text);
  return path;
}

it('counts in characters, whatever their bytes, and says how many there are', async () => {
  const path = await write('aä😀b');
  expect(await readTextWindow(path, { offset: 1, length: 2 })).toEqual({ text: 'ä😀', totalCharacters: 4 });
  expect(await readTextWindow(path, { offset: 3, length: 99 })).toEqual({ text: 'b', totalCharacters: 4 });
  expect(await readTextWindow(path, { offset: 4, length: 1 })).toEqual({ text: '', totalCharacters: 4 });
});

it('reads over the pieces in which a file comes', async () => {
  const path = await write('😀ä'.repeat(100_000));
  const { text, totalCharacters } = await readTextWindow(path, { offset: 50_001, length: 99_999 });
  expect(totalCharacters).toBe(200_000);
  expect(text).toBe('😀ä'.repeat(75_001).slice(2, 3) + '😀ä'.repeat(49_999));
});

it('finds where the text of a page begins', async () => {
  const path = await write('--- page 1 ---\nä😀\n--- page 2 ---\nzwei\n');
  expect(await findPageOffset(path, 1)).toBe(0);
  expect(await findPageOffset(path, 2)).toBe(18);
  expect(await findPageOffset(path, 3)).toBeUndefined();
});
