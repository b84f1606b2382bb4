import { join, matchesGlob } from 'node:path';
import { pathToFileURL } from 'node:url';

type Patterns = { name: string; include: readonly string[]; exclude: readonly string[] };
type Config = { default: { test: { projects: { test: Patterns }[] } } };

/** Reads vitest.config.ts; what it returns names the projects that a test file belongs to, by their patterns. */
export async function readProjectFinder(root: string): Promise<(file: string) => string[]> {
  const { default: config }: Config = await import(pathToFileURL(join(root, 'vitest.config.ts')).href);
  const patterns = config.test.projects.map(({ test }) => test);
  return (file) => {
    const matches = (globs: readonly string[]) => globs.some((glob) => matchesGlob(file, glob));
    return patterns.filter(({ include, exclude }) => matches(include) && !matches(exclude)).map(({ name }) => name);
  };
}
