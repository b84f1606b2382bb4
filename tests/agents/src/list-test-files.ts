import { keysUnderTest } from './runtimes.ts';

const DRIVES = ['cells', 'limits', 'sizes', 'own-calls'];

/** The program that is driven in an operator's wrapper. One is enough: a wrapper changes where a process runs, not what the program keeps. */
export const wrappedKey = 'claude';

/** The test files: four for each program that ATTACHE_TEST_AGENTS names, or for all of them, and those about several. */
export function listTestFiles({ ATTACHE_TEST_AGENTS }: Readonly<Record<string, string | undefined>>): string[] {
  const keys = ATTACHE_TEST_AGENTS?.split(',') ?? keysUnderTest;
  const ofPrograms = keys.flatMap((key) => DRIVES.map((name) => `programs/${key}/${name}`));
  const wrapped = keys.includes(wrappedKey) ? ['wrapped'] : [];
  return [...ofPrograms, 'hosted', 'demo', 'doctor', 'sandboxed', ...wrapped].map(
    (name) => `tests/agents/${name}.test.ts`,
  );
}
