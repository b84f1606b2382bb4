import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { writePage } from './compatibility-page.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder for each program's rows of docs/compatibility.md until all are there; undefined if the page is only compared. */
    compatibilityRowsFolder: string | undefined;
  }
}

/** Vitest's global set-up: with ATTACHE_WRITE_COMPATIBILITY=1, docs/compatibility.md is written when all programs are done. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (process.env.ATTACHE_WRITE_COMPATIBILITY !== '1') {
    project.provide('compatibilityRowsFolder', undefined);
    return undefined;
  }
  const rowsFolder = await mkdtemp(join(tmpdir(), 'attache-rows-'));
  project.provide('compatibilityRowsFolder', rowsFolder);
  return async () => {
    await writePage(rowsFolder);
    await rm(rowsFolder, { recursive: true, force: true });
  };
}
