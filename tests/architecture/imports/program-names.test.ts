import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listShippedFiles, repositoryRoot } from '../source/source-files.ts';
import { findProgramNames, namingFiles } from './program-names.ts';

describe('a program of agents', () => {
  const others = listShippedFiles(repositoryRoot).filter((path) => !path.startsWith('packages/programs/'));
  const namesIn = (path: string) => findProgramNames(readFileSync(join(repositoryRoot, path), 'utf8'));

  it('is named by its own folder alone, the listed files aside [DL-76]', () => {
    const listed = new Set(namingFiles.map(({ path }) => path));
    const found = others
      .filter((path) => !listed.has(path))
      .flatMap((path) => namesIn(path).map((name) => [path, name]));
    expect(others.length).toBeGreaterThan(500);
    expect(found).toEqual([]);
  });

  it('is still named by every listed file', () => {
    for (const { path } of namingFiles) expect(namesIn(path), path).not.toEqual([]);
  });

  it.each([
    ["if (runtime === 'codex-app-server') return;", 'codex-app-server'],
    ["const programs = ['gemini'];", 'gemini'],
    ["case 'pi': return;", 'pi'],
    ['// OpenCode sends it twice', 'OpenCode'],
    ["spawn('npx', ['@openai/codex'])", '@openai/codex'],
  ])('is found where it is planted: %s', (text, name) => {
    expect(findProgramNames(text)).toEqual([name]);
  });

  it.each([
    "model: 'claude-sonnet-5'",
    "'gemini-2.5-pro'",
    'const api = 1;',
    "runtime: 'acp'",
    'attache-example-agent',
  ])('is not mistaken for what is none: %s', (text) => {
    expect(findProgramNames(text)).toEqual([]);
  });
});
