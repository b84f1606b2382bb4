import { join } from 'node:path';
import { runtimeFolderOf } from '@attache/process-setup';

const MAX_PATH_BYTES = 107;

/**
 * The socket on which a running embedded stack takes the operator's commands: in its data folder, or, if that path is too long for a socket, in a short folder
 * of its own next to the runtime folder, which is removed with each stop.
 */
export function operatorSocketPath(dataDir: string): string {
  const path = join(dataDir, 'operator.sock');
  if (Buffer.byteLength(path) <= MAX_PATH_BYTES) return path;
  return join(`${runtimeFolderOf(dataDir)}-operator`, 'operator.sock');
}
