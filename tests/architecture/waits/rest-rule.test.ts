import { describe, expect, it } from 'vitest';
import { listCodeFiles, repositoryRoot } from '../source/source-files.ts';
import { parseSource, readSourceFile } from '../source/syntax-tree.ts';
import { findRests, restingPlaces } from './rest-rule.ts';

const found = listCodeFiles(repositoryRoot)
  .filter((path) => /\.(test|contract|spec)\.tsx?$/.test(path))
  .flatMap((path) => findRests(readSourceFile(repositoryRoot, path)));

describe('the tests', () => {
  it('let no time pass to show that nothing happens: a later event shows it', () => {
    const others = found.filter(({ path }) => !restingPlaces.some(({ place }) => place.test(path)));
    expect(others.map(({ path, line }) => `${path}:${line}`)).toEqual([]);
  });

  it('let time pass in every place that is listed for it, so that the list stays true', () => {
    const stale = restingPlaces.filter(({ place }) => !found.some(({ path }) => place.test(path)));
    expect(stale).toEqual([]);
  });
});

describe('a planted rest', () => {
  const find = (code: string) => findRests(parseSource('tests/e2e/planted.test.ts', code));

  it.each([
    'await new Promise((resolve) => setTimeout(resolve, 50));',
    'await new Promise<void>((wake) => { setTimeout(wake, 50); });',
    "import { setTimeout as delay } from 'node:timers/promises'; await delay(50);",
    "import { setTimeout } from 'node:timers/promises'; await setTimeout(50);",
    'const pause = (ms: number) => new Promise((wake) => setTimeout(wake, ms)); await pause(50);',
  ])('is found: %s', (code) => {
    expect(find(code)).toHaveLength(1);
  });

  it.each([
    'await new Promise((resolve) => setImmediate(resolve));',
    'await new Promise((resolve) => socket.once("close", resolve));',
    'const late = { handle: () => new Promise((resolve) => setTimeout(resolve, 50)) };',
    "import { setImmediate as nextTurn } from 'node:timers/promises'; await nextTurn();",
    'await new Promise((resolve, reject) => { setTimeout(() => reject(new Error("late")), 9); once(resolve); });',
  ])('is none: %s', (code) => {
    expect(find(code)).toEqual([]);
  });

  it('is none in what tests are made of', () => {
    expect(
      findRests(parseSource('tests/e2e/steps/planted.ts', 'await new Promise((go) => setTimeout(go, 1));')),
    ).toEqual([]);
  });
});
