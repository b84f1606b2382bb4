import { mkdtempSync } from 'node:fs';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { findProgramBarrier } from './find-program-barrier.ts';

const user = { uid: 200_007, gid: 200_000 };

it('is said of a program before any agent starts, by its name on PATH or as an argument [BX-22]', async () => {
  const root = mkdtempSync(path.join(tmpdir(), 'attache-barrier-'));
  onTestFinished(() => rm(root, { recursive: true }));
  await chmod(root, 0o755);
  const hidden = path.join(root, 'opt');
  const folder = path.join(hidden, 'bin');
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'tool'), '', { mode: 0o755 });
  await chmod(hidden, 0o700);
  expect(await findProgramBarrier(['tool'], folder, user)).toBe(hidden);
  expect(await findProgramBarrier(['/bin/sh', path.join(folder, 'tool')], '/bin', user)).toBe(hidden);
  await chmod(hidden, 0o755);
  expect(await findProgramBarrier(['tool'], folder, user)).toBeUndefined();
  expect(await findProgramBarrier(['no-such-tool'], folder, user)).toBeUndefined();
});
