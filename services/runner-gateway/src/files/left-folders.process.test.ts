import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createLeftFolders } from './left-folders.ts';
import { removeLeftFiles } from './remove-left-files.ts';

const nest = fileURLToPath(import.meta.resolve('@attache/agent-process/nest.sh'));
const TIMEOUT_MS = 60_000;
const atOnce = <T>(part: () => Promise<T>) => part();
let agentsFolder: string;
let warnings: unknown[];
const open = () =>
  createLeftFolders({ agentsFolder, log: { warn: (...said: unknown[]) => void warnings.push(said) } }, atOnce);
beforeEach(async () => {
  agentsFolder = await mkdtemp(join(tmpdir(), 'attache-left-'));
  warnings = [];
});
afterEach(() => execFileSync('rm', ['-rf', agentsFolder]));

const gone = () => expect.poll(() => readdirSync(agentsFolder), { timeout: TIMEOUT_MS }).toEqual([]);

it('takes a folder away at once and removes it afterwards, whatever its agent has made of it [BX-20]', async () => {
  const folder = join(agentsFolder, 'agt_one');
  mkdirSync(folder);
  execFileSync('/bin/sh', [nest, folder, '300', 'n'.repeat(200), '10']);
  const left = open();
  await left.leave(folder);
  expect(readdirSync(agentsFolder)).not.toContain('agt_one');
  await left.leave(folder);
  await left.leave(join(agentsFolder, 'none'));
  await gone();
  expect(warnings).toEqual([]);
});

it.runIf(process.getuid?.() === 0)(
  'goes on where one resists, says so, and removes that one another time [BX-20]',
  async () => {
    const [fixed, other] = ['agt_fixed', 'agt_other'].map((name) => join(agentsFolder, name)) as [string, string];
    for (const each of [fixed, other]) mkdirSync(join(each, 'work', 'inner'), { recursive: true });
    writeFileSync(join(other, 'work', 'file'), '');
    execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', join(fixed, 'work')]);
    const left = open();
    await left.leave(fixed);
    await left.leave(other);
    await expect.poll(() => readdirSync(agentsFolder).length, { timeout: TIMEOUT_MS }).toBe(1);
    await left.stop();
    expect(warnings.length).toBeGreaterThan(0);
    const [kept = ''] = readdirSync(agentsFolder);
    execFileSync('umount', [join(agentsFolder, kept, 'work')]);
    const next = open();
    await removeLeftFiles(next, agentsFolder);
    await gone();
  },
);

it('ends at its next part when it is stopped, and the next start goes on [BX-20]', async () => {
  mkdirSync(join(agentsFolder, 'agt_many'));
  for (let count = 0; count < 9_000; count += 1) writeFileSync(join(agentsFolder, 'agt_many', String(count)), '');
  let partCount = 0;
  let stopping: Promise<void> | undefined;
  const left = createLeftFolders({ agentsFolder, log: { warn() {} } }, (part) => {
    partCount += 1;
    stopping ??= left.stop();
    return part();
  });
  await left.leave(join(agentsFolder, 'agt_many'));
  await expect.poll(() => partCount, { timeout: TIMEOUT_MS }).toBe(1);
  await stopping;
  expect(partCount).toBe(1);
  expect(readdirSync(agentsFolder)).toHaveLength(1);
  open().sweep();
  await gone();
});
