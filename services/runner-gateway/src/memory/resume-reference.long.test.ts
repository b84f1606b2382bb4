import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { createReferenceKeeper } from './resume-reference.ts';

const swap = fileURLToPath(import.meta.resolve('@attache/agent-process/swap'));
const WRITES = 1_000;
const FILES = 50;
const target = { profile: 'p', runtime: 'acp', provider: 'q', model: 'm', memoryVersion: 0 };

it.each(['resume.json'])(
  'nothing outside is removed or written while an agent swaps folders and links in the place of %s [S19]',
  async (name) => {
    const root = await mkdtemp(join(tmpdir(), 'attache-race-'));
    const [outside, folder] = [join(root, 'outside'), join(root, 'agent')];
    for (const place of [outside, folder]) await mkdir(place);
    for (let count = 0; count < FILES; count += 1) await writeFile(join(outside, `kept-${count}`), 'of another agent');
    const hostile = spawn(process.execPath, [swap, join(folder, name, 'a'), outside, join(root, 'hoard')], {
      stdio: 'ignore',
    });
    const ended = new Promise((resolve) => hostile.once('exit', resolve));
    let keptCount = 0;
    for (let count = 0; count < WRITES; count += 1) {
      const keeper = createReferenceKeeper(folder, target);
      await keeper.keep(`reference-${count}`).then(
        () => (keptCount += 1),
        () => undefined,
      );
      await keeper.drop().catch(() => undefined);
    }
    hostile.kill('SIGKILL');
    await ended;
    const left = (await readdir(outside)).length;
    await rm(root, { recursive: true });
    process.stdout.write(
      `${name}: written ${WRITES} times, ${keptCount} kept; ${left} of ${FILES} files outside are left.\n`,
    );
    expect(left).toBe(FILES);
  },
);
