import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { type Attachment, Fault, idFromUuid } from '@attache/contracts';
import { nameMediaType, sanitizeName } from '@attache/domain';
import { createMediaPool } from '@attache/media';

/** A file as it would be recorded once it was uploaded and inspected. */
export type LocalFile = Pick<
  Attachment,
  'id' | 'name' | 'mimeType' | 'declaredMimeType' | 'kind' | 'sizeBytes' | 'status' | 'failure' | 'facts' | 'warnings'
>;

// Nothing is recorded, so every file may have the same one.
const ID = idFromUuid('attachment', '00000000-0000-4000-8000-000000000000');

/** Inspects a file where it lies, as it would be after an upload. Throws a Fault for an empty file, and for a path that is no file. */
export async function inspectLocally(path: string): Promise<LocalFile> {
  const sizeBytes = await measureFile(path);
  const name = sanitizeName(basename(path), 'file');
  const declaredMimeType = nameMediaType(name);
  const known = { id: ID, name, sizeBytes, ...(declaredMimeType === undefined ? {} : { declaredMimeType }) };
  await using media = createMediaPool({ workers: 1 });
  const found = await media.inspect({ path, name, declaredMimeType, sizeBytes });
  return found.status === 'ready' ? { ...known, ...found } : { ...known, ...found, facts: {}, warnings: [] };
}

async function measureFile(path: string): Promise<number> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' || error.code === 'ENOTDIR' ? missing(path, error) : unreadable(path, error);
  });
  if (found.isDirectory()) throw new Fault('INVALID_REQUEST', `${path} is a folder. Name a file.`);
  if (!found.isFile()) throw new Fault('INVALID_REQUEST', `${path} is no plain file. Name one.`);
  if (found.size === 0) throw new Fault('NO_FILE', `${path} is empty. Name a file that holds something.`);
  await access(path, constants.R_OK).catch((error: NodeJS.ErrnoException) => {
    throw unreadable(path, error);
  });
  return found.size;
}

function missing(path: string, cause: Error): Fault {
  return new Fault('ATTACHMENT_NOT_FOUND', `There is no file ${path}. Check the name.`, { cause });
}

function unreadable(path: string, cause: NodeJS.ErrnoException): Fault {
  return new Fault('NO_FILE', `${path} cannot be read (${cause.code}). Check its permissions.`, { cause });
}
