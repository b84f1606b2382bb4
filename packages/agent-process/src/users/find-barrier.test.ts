import { mkdtempSync } from 'node:fs';
import { chmod, mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeBarrier, findBarrier, letPass } from './find-barrier.ts';

const user = { uid: 200_007, gid: 200_000 };
let root: string;
beforeEach(async () => {
  root = mkdtempSync(path.join(tmpdir(), 'attache-barrier-'));
  await chmod(root, 0o755);
});
afterEach(async () => {
  for (const place of ['opt', 'opt/bin']) await chmod(path.join(root, place), 0o755).catch(() => undefined);
  await rm(root, { recursive: true });
});

async function givenProgram(modes: Record<string, number>): Promise<string> {
  const program = path.join(root, 'opt', 'bin', 'tool');
  await mkdir(path.dirname(program), { recursive: true });
  await writeFile(program, '');
  // From inside out: who is not root cannot pass a folder that it has closed.
  for (const place of ['opt/bin/tool', 'opt/bin', 'opt']) await chmod(path.join(root, place), modes[place] ?? 0o755);
  return program;
}

it('names the outermost folder that the user of an agent cannot enter, or the file that it cannot read [BX-22]', async () => {
  expect(await findBarrier([await givenProgram({})], user)).toBeUndefined();
  expect(await findBarrier([await givenProgram({ opt: 0o711 })], user)).toBeUndefined();
  expect(await findBarrier([await givenProgram({ opt: 0o700, 'opt/bin': 0o700 })], user)).toBe(path.join(root, 'opt'));
  expect(await findBarrier([await givenProgram({ 'opt/bin': 0o750 })], user)).toBe(path.join(root, 'opt', 'bin'));
  const program = await givenProgram({ 'opt/bin/tool': 0o711 });
  expect(await findBarrier([program], user)).toBe(program);
  expect(describeBarrier(path.join(root, 'opt'), user)).toMatch(/opt cannot be entered .* user 200007.*chmod o\+rx/);
});

it('knows a user by its bits as owner and in its group', async () => {
  const program = await givenProgram({ opt: 0o707, 'opt/bin/tool': 0o070 });
  const { uid, gid } = await stat(root);
  expect(await findBarrier([program], { uid, gid })).toBe(program);
  expect(await findBarrier([program], { uid: uid + 1, gid })).toBe(path.join(root, 'opt'));
});

it('changes no folder beside the private ones, and none that others use already [BX-22]', async () => {
  const folder = path.join(root, 'data', 'shared', 'agt');
  await mkdir(folder, { recursive: true });
  await chmod(path.join(root, 'data'), 0o755);
  await chmod(path.join(root, 'data', 'shared'), 0o750);
  await letPass([folder], [path.join(root, 'data')], user);
  for (const [place, mode] of [
    [root, 0o755],
    [path.join(root, 'data'), 0o755],
    [path.join(root, 'data', 'shared'), 0o750],
  ] as const)
    expect((await stat(place)).mode & 0o777).toBe(mode);
});
