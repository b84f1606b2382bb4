import { dirname, join } from 'node:path';
import { runtimeFolderOf } from '@attache/operations';

const MAX_PATH_BYTES = 107;

/**
 * The socket on which a running embedded stack takes the operator's commands: in its data folder, or, where that path is too long for
 * a socket, in a short folder of its own beside the runtime folder, which is removed with each stop.
 */
export function operatorSocketPath(dataDir: string): string {
  const path = join(dataDir, 'operator.sock');
  if (Buffer.byteLength(path) <= MAX_PATH_BYTES) return path;
  return join(`${runtimeFolderOf(dataDir)}-operator`, 'operator.sock');
}

/** The folder that must be the server's alone. */
export const folderOfSocket = (path: string): string => dirname(path);
