import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * How an end-to-end file runs, as the comments of its first lines say. On the hosted stack it runs `every` time, only in the `long` tests, since
 * neither the bus nor a second process can change its outcome, or `never`, since it has no stack. On the embedded one it runs every time, unless a second
 * line says that it costs too much for it.
 */
export type StackTags = { hosted: 'every' | 'long' | 'never'; embedded: 'every' | 'long' };

/** Files in `tests/e2e` that are no end-to-end files. */
export const NOT_END_TO_END = ['**/node_modules/**', 'tests/e2e/agent-process/**'] as const;

const HOSTED = /^\/\/ hosted: (every|long|never) – .+$/;
const EMBEDDED = /^\/\/ embedded: (long) – .+$/;

/** Throws if the first line is no tag. */
export function readStackTags(file: string): StackTags {
  const [first = '', second = ''] = readFileSync(file, 'utf8').split('\n', 2);
  const hosted = HOSTED.exec(first)?.[1];
  if (hosted === undefined)
    throw new Error(`${file} must begin with a line such as: // hosted: long – one process answers all of it`);
  return { hosted: hosted as StackTags['hosted'], embedded: EMBEDDED.test(second) ? 'long' : 'every' };
}

/** The end-to-end files that have this tag for a stack, as paths relative to the repository. */
export function listTagged<S extends keyof StackTags>(root: string, stack: S, runs: StackTags[S]): string[] {
  return globSync('tests/e2e/**/*.test.ts', { cwd: root, exclude: [...NOT_END_TO_END] })
    .filter((path) => readStackTags(join(root, path))[stack] === runs)
    .sort();
}
