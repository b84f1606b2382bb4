import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, chown, type FileHandle, lstat, mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { agentFolders } from '@attache/agent-process';
import { parseBlobKey } from '@attache/blob-store';
import { Fault } from '@attache/contracts';
import { extensionOf } from '../files/file-extension.ts';
import { hashFile } from '../files/hash-file.ts';
import { VIEWS_FOLDER } from '../files/remove-left-files.ts';
import type { OwningDeps } from '../gateway-deps.ts';
import { type Granted, logView } from './read-granted.ts';
import type { SocketOwner } from './socket-owner.ts';

type HandOutDeps = Pick<OwningDeps, 'ownership' | 'blobs'> & {
  settings: Pick<OwningDeps['settings'], 'agentsFolder'>;
};

/**
 * Puts a read-only copy into the agent's folder, for tools that want a path, and returns that path; it is named by ids, and gone with the agent
 * (AT-32, DL-78). A sandboxed agent has another path for it. A file that the log does not hold is not handed out. `CHECKSUM_MISMATCH` if the
 * store holds other bytes than it was given.
 */
export async function handOutFile(deps: HandOutDeps, owner: SocketOwner, granted: Granted): Promise<string> {
  const { attachment, variantId, sha256, sizeBytes } = granted;
  const name = `${variantId ?? attachment.id}.${extensionOf(granted.mimeType)}`;
  const shownPath = join(agentFolders(owner.shownFolder ?? owner.folder).files, name);
  const handing = { bytes: { ...(variantId === undefined ? {} : { variantId }), sha256, sizeBytes } };
  await using folder = await openFolder(agentFolders(owner.folder).files);
  // Beneath the opened folder: a link that its agent puts in the folder's place meanwhile leads nowhere (S19).
  const path = `/proc/self/fd/${folder.fd}/${name}`;
  if (await isWhole(path, granted)) {
    await logView(deps, owner, granted, handing);
    return shownPath;
  }
  // Begun where its agent does not look, on the same disk: a file at the path is always whole.
  const begunFolder = join(deps.settings.agentsFolder, VIEWS_FOLDER);
  const begun = join(begunFolder, randomUUID());
  await mkdir(begunFolder, { recursive: true, mode: 0o700 });
  try {
    await deps.blobs.copyToFile(parseBlobKey(granted.key), begun);
    if ((await hashFile(begun)) !== sha256)
      throw new Fault('CHECKSUM_MISMATCH', 'The stored bytes of this file are not those that were uploaded.');
    await chmod(begun, 0o400);
    await giveToOwnerOf(folder, begun);
    await logView(deps, owner, granted, handing);
    // A folder that an agent put in its place is not in the way.
    await rm(path, { recursive: true, force: true });
    await rename(begun, path);
  } finally {
    await rm(begun, { force: true });
  }
  return shownPath;
}

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;

async function openFolder(path: string): Promise<FileHandle> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
    return await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  } catch (cause) {
    const why = 'The folder `files` of the agent is a link or no folder. Remove what is in its place.';
    throw new Fault('INVALID_REQUEST', why, { cause });
  }
}

/** An agent that runs as a user of its own reads its copies. */
async function giveToOwnerOf(folder: FileHandle, path: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await folder.stat();
  await chown(path, uid, gid);
}

/** The folder is the agent's own: a change that it made to an earlier copy is found by the digest. */
async function isWhole(path: string, { sha256, sizeBytes }: Granted): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  // A copy with another name can be changed under that one.
  const isReadOnlyFile = found?.isFile() === true && found.nlink === 1 && (found.mode & 0o777) === 0o400;
  return isReadOnlyFile && found.size === sizeBytes && (await hashFile(path)) === sha256;
}
