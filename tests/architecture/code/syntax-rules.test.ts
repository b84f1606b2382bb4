import { describe, expect, it } from 'vitest';
import { listShippedFiles, repositoryRoot } from '../source/source-files.ts';
import { readSourceFile, type SyntaxViolation } from '../source/syntax-tree.ts';
import { findAmbientViolations } from './ambient-rules.ts';
import { base64Exits } from './base64-exits.ts';
import { findBase64Production } from './base64-rule.ts';
import { measureFunctions, type SizeFigures, summariseSizes } from './code-size.ts';

const files = listShippedFiles(repositoryRoot)
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => readSourceFile(repositoryRoot, path));
const exits = new Set(base64Exits.map(({ path }) => path));

describe('shipped code', () => {
  it('was read', () => {
    expect(files.length).toBeGreaterThan(0);
  });

  it('takes clock, randomness, environment and network only where its place allows it', () => {
    expect(files.flatMap(findAmbientViolations).map(describeViolation)).toEqual([]);
  });

  it('produces base64 only at the listed exits [AT-03]', () => {
    const elsewhere = files.filter((file) => !exits.has(file.path)).flatMap(findBase64Production);
    expect(elsewhere.map(describeViolation)).toEqual([]);
  });

  it('produces base64 at every listed exit, so that the list stays true [AT-03]', () => {
    const producing = new Set(files.filter((file) => findBase64Production(file).length > 0).map((file) => file.path));
    expect(base64Exits.filter(({ path }) => !producing.has(path))).toEqual([]);
  });

  it('has no barrel below a package root', () => {
    const barrels = files.filter((file) => /\/src\/.+\/index\.tsx?$/.test(file.path));
    expect(barrels.map((file) => file.path)).toEqual([]);
  });
});

describe('size of the code', () => {
  const functions = summariseSizes(files.flatMap(measureFunctions));
  const sources = summariseSizes(files.map((file) => ({ name: file.path, lineCount: file.lineCount })));

  it('keeps functions short: 90 % within 30 lines, none above 60', () => {
    print('functions', functions);
    expect(functions.p90).toBeLessThanOrEqual(30);
    expect(functions.longest.filter(({ lineCount }) => lineCount > 60)).toEqual([]);
  });

  it('keeps files short: 90 % within 180 lines', () => {
    print('files', sources);
    expect(sources.p90).toBeLessThanOrEqual(180);
  });
});

function print(what: string, { count, median, p90, longest }: SizeFigures): void {
  const worst = longest.map(({ name, lineCount }) => `  ${lineCount} ${name}`).join('\n');
  process.stdout.write(
    `${count} ${what}: median ${median}, p90 ${p90}, longest ${longest[0]?.lineCount ?? 0} lines\n${worst}\n`,
  );
}

function describeViolation({ rule, path, line, found }: SyntaxViolation): string {
  return `${path}:${line} ${rule}: ${found}`;
}
