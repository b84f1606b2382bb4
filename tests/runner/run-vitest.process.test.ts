import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runVitest } from './run-vitest.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const CONFIG = `export default { test: { projects: ['full', 'empty'].map((name) => (
  { test: { name, include: [name + '/*.test.ts'] } })) } };`;
const TEST = "import { expect, it } from 'vitest'; it('is held', () => expect(1).toBe(1));";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'attache-vitest-'));
  for (const folder of ['node_modules', 'tests']) symlinkSync(join(repository, folder), join(root, folder));
  for (const folder of ['full', 'empty']) mkdirSync(join(root, folder));
  writeFileSync(join(root, 'vitest.config.mjs'), CONFIG);
  writeFileSync(join(root, 'full/a.test.ts'), TEST);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const run = (project: string, files: readonly string[] = []) =>
  runVitest({ root, project, files, recordFile: join(root, `${project}.json`), repeat: 'npm test', environment: {} });

describe('a project', () => {
  it('passes with its tests, which are recorded', async () => {
    const { exitCode, record } = await run('full');
    expect(exitCode).toBe(0);
    expect(record.files.flatMap(({ tests }) => tests.map(({ name, state }) => `${name}: ${state}`))).toEqual([
      'is held: passed',
    ]);
  });

  it('without any test fails, as its patterns must be wrong', async () => {
    expect((await run('empty')).exitCode).toBe(1);
  });

  it('passes where none of its files is among those that were chosen', async () => {
    expect((await run('full', ['other.test.ts'])).exitCode).toBe(0);
  });
});
