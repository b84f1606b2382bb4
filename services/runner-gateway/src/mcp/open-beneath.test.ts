import { link, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBeneath } from './open-beneath.ts';

const isShort = process.env.ATTACHE_TEST_AMOUNT === 'few';

let place: string;
let folder: string;
beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'attache-beneath-'));
  folder = join(place, 'work');
  await mkdir(join(folder, 'sub', 'deeper'), { recursive: true });
  await writeFile(join(place, 'secret'), 'secret');
  await writeFile(join(folder, 'sub', 'deeper', 'a.txt'), 'inside');
  await symlink('sub/deeper/a.txt', join(folder, 'link'));
  await symlink('../secret', join(folder, 'out'));
  await symlink('..', join(folder, 'up'));
  await symlink('sub', join(folder, 'around'));
});
afterAll(() => rm(place, { recursive: true }));

async function read(path: string): Promise<string> {
  await using file = await openBeneath(folder, path);
  return await file.readFile('utf8');
}

describe('a file beneath a folder', () => {
  it('is opened by its relative path, also where its name looks odd', async () => {
    expect(await read('sub/deeper/a.txt')).toBe('inside');
    await writeFile(join(folder, '..a \\ü.txt'), 'odd');
    expect(await read('..a \\ü.txt')).toBe('odd');
  });

  it.each([
    ['upwards', '../secret'],
    ['upwards, on a detour', 'sub/../../secret'],
    ['absolute', '/etc/passwd'],
    ['through nothing', 'sub//deeper/a.txt'],
    ['through itself', './sub/deeper/a.txt'],
    ['a link to the outside', 'out'],
    ['a link to the inside', 'link'],
    ['through a link upwards', 'up/secret'],
    ['through a link to a folder beside', 'around/deeper/a.txt'],
    ['a folder', 'sub'],
    ['not there', 'nothing'],
    ['through a file', 'sub/deeper/a.txt/x'],
    ['nothing', ''],
    ['cut off by NUL', 'sub/deeper/a.txt\0.png'],
  ])('is not what is %s [S19]', async (_, path) => {
    await expect(read(path)).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  });

  it('is none that has another name, which may lie outside [S19]', async () => {
    await link(join(place, 'secret'), join(folder, 'hard'));
    await expect(read('hard')).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  });

  it('is no socket [S19]', async () => {
    const server = createServer().listen(join(folder, 'socket'));
    await expect(read('socket')).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    server.close();
  });

  it('is none of the outside while folder and link are swapped all the time [S19]', async () => {
    const [outside, spare] = [join(place, 'outside'), join(place, 'spare')];
    await mkdir(outside);
    await writeFile(join(outside, 'a.txt'), 'secret');
    await symlink(outside, spare);
    const target = join(folder, 'swapped');
    await mkdir(target);
    await writeFile(join(target, 'a.txt'), 'inside');
    let isOver = false;
    const swap = async (): Promise<void> => {
      while (!isOver) {
        await rename(target, join(place, 'kept'));
        await rename(spare, target);
        await rename(target, spare);
        await rename(join(place, 'kept'), target);
      }
    };
    const swapping = swap();
    const seen = new Set<string>();
    // Until it was there once, too: who looks and who swaps may keep step for a while.
    for (let round = 0; round < (isShort ? 200 : 2_000) || !seen.has('inside'); round += 1)
      seen.add(await read('swapped/a.txt').catch(() => 'refused'));
    isOver = true;
    await swapping;
    expect(seen).not.toContain('secret');
    expect(seen).toContain('inside');
  });
});
