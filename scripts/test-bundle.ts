import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { copyPackages } from './bundle-packages.ts';
import { writeBundle } from './write-bundle.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The command line as it ships: services of the hosted stack under test run from it. */
    bundledCli: string;
  }
}

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Vitest's global set-up: bundles the command line once. The hosted stack is tested as it ships, and its many processes start in a
 * quarter of the time.
 */
export async function setup(project: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'attache-bundled-cli-'));
  await writeBundle({ root, out: folder });
  copyPackages({ root, names: ['sharp'], out: folder });
  project.provide('bundledCli', join(folder, 'attache.js'));
  return () => rmSync(folder, { recursive: true, force: true });
}
