import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A short folder for the unix sockets of a data folder, outside it: a socket's path may have 107 bytes. */
export function runtimeFolderOf(dataDir: string): string {
  const uid = process.getuid?.() ?? 0;
  return join(tmpdir(), `attache-${uid}-${createHash('sha256').update(dataDir).digest('hex').slice(0, 8)}`);
}
