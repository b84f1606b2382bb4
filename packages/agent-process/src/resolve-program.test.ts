import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeMissing, resolveProgram } from './resolve-program.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'attache-program-'));
  await writeFile(path.join(folder, 'tool'), '#!/bin/sh\n');
  await writeFile(path.join(folder, 'notes'), 'text');
  await chmod(path.join(folder, 'tool'), 0o755);
});
afterAll(() => rm(folder, { recursive: true }));

it('finds a program by its name on the search path, or by its absolute path', async () => {
  const program = path.join(folder, 'tool');
  expect(await resolveProgram('tool', `/nowhere:${folder}`)).toBe(program);
  expect(await resolveProgram(program, '')).toBe(program);
});

it('refuses what is missing, not executable, a folder, or a relative path [S26]', async () => {
  const searchPath = `.:${folder}`;
  for (const name of ['nothing', 'notes', '', './tool', `../${path.basename(folder)}/tool`, folder]) {
    expect(await resolveProgram(name, searchPath)).toBeUndefined();
  }
  expect(await resolveProgram('package.json', '.:')).toBeUndefined();
});

it('the sentence for people about a program that is not found says whether it is absent, not executable or no file [DL-38]', async () => {
  const at = (name: string) => path.join(folder, name);
  expect(await describeMissing(at('nothing'), '')).toMatch(/^There is no program \/.*nothing\. Install it there/);
  expect(await describeMissing('nothing', folder)).toMatch(/^There is no program nothing on PATH\./);
  expect(await describeMissing(at('notes'), '')).toMatch(/notes is not executable\. Make it so with chmod \+x/);
  expect(await describeMissing('notes', `/nowhere:${folder}`)).toContain(`${at('notes')} is not executable.`);
  expect(await describeMissing(folder, '')).toMatch(/ is a folder\./);
  expect(await describeMissing('./tool', folder)).toMatch(/ is named by a relative path\./);
});
