import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { type Held, measureFolder } from '../folder/measure-folder.ts';

const swap = fileURLToPath(new URL('__fixtures__/swap.ts', import.meta.url));
const LOOKS = 1_000;
const OUTSIDE_BYTES = 4_000_000;

it('what a folder takes is never what lies outside, while a folder in it and a link are swapped [S19]', async () => {
  const root = await mkdtemp(path.join(tmpdir(), 'attache-race-'));
  const outside = path.join(root, 'outside');
  const folder = path.join(root, 'agent');
  await mkdir(outside);
  await mkdir(folder);
  await writeFile(path.join(outside, 'large'), Buffer.alloc(OUTSIDE_BYTES, 1));
  const hostile = spawn(process.execPath, [swap, path.join(folder, 'a'), outside, path.join(root, 'hoard')], {
    stdio: 'ignore',
  });
  const ended = new Promise((resolve) => hostile.once('exit', resolve));
  let outsideCount = 0;
  for (let count = 0; count < LOOKS; count += 1) {
    const held: Held = { bytes: 0 };
    for await (const _ of measureFolder(folder, held));
    if (held.bytes >= OUTSIDE_BYTES) outsideCount += 1;
  }
  hostile.kill('SIGKILL');
  await ended;
  await rm(root, { recursive: true });
  process.stdout.write(
    `An agent's folder was measured ${LOOKS} times, ${outsideCount} times with what lies outside.\n`,
  );
  expect(outsideCount).toBe(0);
});
