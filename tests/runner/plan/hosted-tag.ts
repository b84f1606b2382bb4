import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * How an end-to-end file runs on the hosted stack, as the comment of its first line says: `every` time, only in the `long` tests,
 * since neither the bus nor a second process can change its outcome, or `never`, since it has no stack.
 */
export type HostedTag = { runs: 'every' | 'long' | 'never'; reason: string };

/** What lies in `tests/e2e` and is no end-to-end file. */
export const NOT_END_TO_END = ['**/node_modules/**', 'tests/e2e/agent-process/**'] as const;

const TAG = /^\/\/ hosted: (every|long|never) – (.+)$/;

/** Throws where the first line is no tag. */
export function readHostedTag(file: string): HostedTag {
  const [first = ''] = readFileSync(file, 'utf8').split('\n', 1);
  const [, runs, reason] = TAG.exec(first) ?? [];
  if (runs === undefined || reason === undefined)
    throw new Error(`${file} must begin with a line such as: // hosted: long – one process answers all of it`);
  return { runs: runs as HostedTag['runs'], reason };
}

/** The end-to-end files that have this tag, as paths relative to the repository. */
export function listTagged(root: string, runs: HostedTag['runs']): string[] {
  return globSync('tests/e2e/**/*.test.ts', { cwd: root, exclude: [...NOT_END_TO_END] })
    .filter((path) => readHostedTag(join(root, path)).runs === runs)
    .sort();
}
