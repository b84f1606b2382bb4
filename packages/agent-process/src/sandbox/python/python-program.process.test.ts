import { chmod, copyFile, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startBoxed } from '../__fixtures__/boxed-start.ts';
import { whereSandboxed } from '../__fixtures__/where-sandboxed.ts';
import { findProgramPlaces } from '../find-program-places.ts';

const works = await whereSandboxed();

let root: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), 'attache-python-')));
});
afterEach(() => rm(root, { recursive: true }));

const at = (...names: string[]) => path.join(root, ...names);

async function put(place: string, content: string): Promise<void> {
  await mkdir(path.dirname(place), { recursive: true });
  await writeFile(place, content);
}

/** Lays out a Python outside of the system's folders as its tools do, with a shell in its place, and a program in an environment of it. */
async function installProgram(): Promise<{ program: string; python: string }> {
  await put(at('pythons', '3.12.1', 'lib', 'python3.12', 'os.py'), 'of the installation');
  await mkdir(at('pythons', '3.12.1', 'bin'));
  await copyFile('/bin/sh', at('pythons', '3.12.1', 'bin', 'python3.12'));
  await symlink('3.12.1', at('pythons', '3.12'));
  const home = at('pythons', '3.12', 'bin');
  await put(at('tool', 'pyvenv.cfg'), `home = ${home}\nversion = 3.12.1\n`);
  await put(at('tool', 'lib', 'python3.12', 'site-packages', 'tool.py'), 'of the environment');
  const python = at('tool', 'bin', 'python');
  const read = [at('tool', 'lib/python3.12/site-packages/tool.py'), path.join(home, '../lib/python3.12/os.py')];
  await put(at('tool', 'bin', 'run-tool'), `#!${python}\necho "$0"; cat ${read.join(' ')}\n`);
  await symlink(path.join(home, 'python3.12'), python);
  await chmod(at('tool', 'bin', 'run-tool'), 0o755);
  const program = at('bin', 'tool');
  await mkdir(path.dirname(program));
  await symlink(at('tool', 'bin', 'run-tool'), program);
  return { program, python };
}

describe('a program of Python', () => {
  it('is shown with its environment and the installation that it was made with, by both its names [BX-22]', async () => {
    const { program, python } = await installProgram();
    const trees = [at('tool'), at('pythons', '3.12'), at('pythons', '3.12.1')];
    expect(await findProgramPlaces([program], '/usr/bin', [])).toMatchObject({
      ...{ program: at('tool', 'bin', 'run-tool'), trees },
    });
    expect(await findProgramPlaces([python, '-m', 'tool'], '/usr/bin', [])).toMatchObject({ program: python });
    await put(at('tool', 'pyvenv.cfg'), 'home = /usr/bin\n');
    expect(await findProgramPlaces([program], '/usr/bin', [])).toMatchObject({
      trees: expect.not.arrayContaining(['/']),
    });
  });

  it('is one file more where packages alone are next to it', async () => {
    await put(at('lib', 'python3.12', 'site-packages', 'a.py'), '');
    await put(at('bin', 'tool'), '');
    expect(await findProgramPlaces([at('bin', 'tool')], '/usr/bin', [])).toMatchObject({ trees: [] });
  });

  it.runIf(works)('runs inside of a sandbox as it does outside [BX-22]', async () => {
    const { program } = await installProgram();
    const outcome = await startBoxed([program], { folder: at('agent') });
    if (outcome.status === 'failed') throw new Error(outcome.failure.diagnostic);
    const said = await text(outcome.child.stdout);
    expect(said).toBe(`${at('tool', 'bin', 'run-tool')}\nof the environmentof the installation`);
  });
});
