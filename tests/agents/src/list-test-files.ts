import { keysUnderTest } from './runtimes.ts';

const DRIVES = ['cells', 'limits', 'sizes', 'own-calls'];

/** The program that is driven in an operator's wrapper. One is enough: a wrapper changes where a process runs, not what the program keeps. */
export const wrappedKey = 'claude';

/** About what goes through several programs. */
const SHARED = ['hosted', 'demo', 'doctor', 'sandboxed'];

/**
 * The test files: four for each program that ATTACHE_TEST_AGENTS names, or for all of them, those about several, and those that
 * ATTACHE_TEST_PROOFS names. Where ATTACHE_TEST_SIZES draws a part of the sizes, it draws one of the files about several, too.
 */
export function listTestFiles({
  ATTACHE_TEST_AGENTS,
  ATTACHE_TEST_PROOFS,
  ATTACHE_TEST_SIZES,
}: Readonly<Record<string, string | undefined>>): string[] {
  const keys = ATTACHE_TEST_AGENTS?.split(',') ?? keysUnderTest;
  const ofPrograms = keys.flatMap((key) => DRIVES.map((name) => `programs/${key}/${name}`));
  const wrapped = keys.includes(wrappedKey) ? ['wrapped'] : [];
  const part = Number(ATTACHE_TEST_SIZES ?? 0) % SHARED.length;
  const shared = SHARED.filter((_, index) => ATTACHE_TEST_SIZES === undefined || index === part);
  const files = [...ofPrograms, ...shared, ...wrapped].map((name) => `tests/agents/${name}.test.ts`);
  const proofs = ATTACHE_TEST_PROOFS?.split(',').filter((file) => file !== '') ?? [];
  return [...new Set([...files, ...proofs])];
}
