import type { RunningAgent } from '@attache/agent-process';
import { openBeneath } from '../mcp/open-beneath.ts';
import type { FoundFile } from './find-memory.ts';

/**
 * The same files, with copies in the place of databases: a database is not in its file alone. What lies in `copies` afterwards is to be removed.
 * Undefined if one cannot be copied.
 */
export async function copyDatabases(
  { running, folder }: { running: Pick<RunningAgent, 'copyDatabase'>; folder: string },
  found: readonly FoundFile[],
  copies: string[],
): Promise<FoundFile[] | undefined> {
  const files: FoundFile[] = [];
  for (const file of found) {
    const copied = file.form === 'database' ? await copyDatabase(running, folder, file, copies) : file;
    if (copied === undefined) return undefined;
    files.push(copied);
  }
  return files;
}

async function copyDatabase(
  running: Pick<RunningAgent, 'copyDatabase'>,
  folder: string,
  file: FoundFile,
  copies: string[],
): Promise<FoundFile | undefined> {
  const copy = await running.copyDatabase(file.path);
  if (copy === undefined) return undefined;
  copies.push(copy);
  await using opened = await openBeneath(folder, copy);
  return { ...file, path: copy, sizeBytes: (await opened.stat()).size };
}
