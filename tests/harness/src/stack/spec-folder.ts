import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Holds what the specs of use cases keep; it goes when they have ended. */
    specFolder: string;
  }
}

/** Vitest's global set-up of the project `spec`: a folder that outlives the workers, which end without a word. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'attache-spec-'));
  project.provide('specFolder', folder);
  return () => rm(folder, { recursive: true, force: true });
}
