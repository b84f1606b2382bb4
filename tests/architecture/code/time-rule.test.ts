import { describe, expect, it } from 'vitest';
import { listCodeFiles, repositoryRoot } from '../source/source-files.ts';
import { parseSource, readSourceFile, type SyntaxViolation } from '../source/syntax-tree.ts';
import { findMeasuredTime, findUnlimitedWaits, measuringTests } from './time-rule.ts';

const files = listCodeFiles(repositoryRoot)
  .filter((path) => /\.(test|contract|spec)\.tsx?$|^tests\/|\/__fixtures__\//.test(path))
  .map((path) => readSourceFile(repositoryRoot, path));
const measuring = new Set(measuringTests.map(({ path }) => path));

const describeViolation = ({ path, line, found }: SyntaxViolation) => `${path}:${line} ${found}`;

describe('the tests', () => {
  it('were read', () => {
    expect(files.length).toBeGreaterThan(0);
  });

  it('say how long they wait: the default of one second is too short for a busy machine', () => {
    expect(files.flatMap(findUnlimitedWaits).map(describeViolation)).toEqual([]);
  });

  it('assert no duration but where their title promises one', () => {
    const others = files.filter(({ path }) => !measuring.has(path));
    expect(others.flatMap(findMeasuredTime).map(describeViolation)).toEqual([]);
  });

  it('measure time in every file that is listed for it, so that the list stays true', () => {
    const found = new Set(files.flatMap(findMeasuredTime).map(({ path }) => path));
    expect([...measuring].filter((path) => !found.has(path))).toEqual([]);
  });
});

const planted = (code: string) => parseSource('tests/e2e/planted.test.ts', code);

describe('a planted wait', () => {
  it.each([
    'await vi.waitFor(() => look());',
    'await vi.waitUntil(async () => (await look()).isThere);',
    'await vi.waitFor(look, { interval: 5 });',
    'await vi.waitUntil(look, { timeout: 5_000 });',
    'await expect.poll(look, { timeout: 20_000 }).toBe(1);',
  ])('without a limit, or with a short one, is found: %s', (code) => {
    expect(findUnlimitedWaits(planted(code))).toHaveLength(1);
  });

  it.each([
    'await vi.waitFor(look, { timeout: 30_000 });',
    'await vi.waitUntil(look, { ...WAIT, interval: 5 });',
    'await vi.waitFor(look, WAIT);',
    'await vi.waitFor(look, 20_000);',
    'await waitFor(look);',
    'await expect.poll(look).toBe(1);',
    'await expect.poll(look, { timeout: 60_000 }).toBe(1);',
  ])('with one is none: %s', (code) => {
    expect(findUnlimitedWaits(planted(code))).toEqual([]);
  });
});

describe('a planted bound on a time', () => {
  it.each([
    'expect(Date.now() - startedAt).toBeLessThan(500);',
    'expect(performance.now() - startedAt).toBeLessThanOrEqual(500);',
    'expect(Math.round((Date.now() - startedAt) / 1000)).toBe(1); expect(Date.now() - x).toBeLessThan(9);',
    'const tookMs = performance.now() - startedAt; expect(tookMs).toBeLessThan(500);',
    'const run = () => ({ tookMs: Date.now() - startedAt }); expect((await run()).tookMs).toBeLessThan(500);',
    'const now = performance.now(); expect(now - last).toBeLessThan(25);',
    'expect(Date.now() - startedAt, "slow").not.toBeLessThan(5);',
  ])('is found: %s', (code) => {
    expect(findMeasuredTime(planted(code))).toHaveLength(1);
  });

  it.each([
    'expect(times[1] - times[0]).toBeGreaterThanOrEqual(39);',
    'expect(expiresAt - Date.now() / 1000).toBeLessThanOrEqual(60);',
    'expect(bytes.length).toBeLessThan(500);',
    'const before = process.memoryUsage().rss; expect(process.memoryUsage().rss - before).toBeLessThan(32);',
  ])('is none: %s', (code) => {
    expect(findMeasuredTime(planted(code))).toEqual([]);
  });
});
