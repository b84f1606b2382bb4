import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseBlobKey } from '@attache/blob-store';
import type { Attachment } from '@attache/contracts';
import { hashFile } from '../../files/hash-file.ts';
import { VIEWS_FOLDER } from '../../files/remove-left-files.ts';
import type { Granted } from '../../granted/read-granted.ts';
import type { ToolScope } from '../agent-tool.ts';
import type { Refusal } from '../tool-answer.ts';

/** Runs `work` with two paths of its own, where nothing is yet; what is made there is removed afterwards. */
export async function withViewFiles<T>(
  { deps }: ToolScope,
  work: (paths: { originalPath: string; madePath: string }) => Promise<T>,
): Promise<T> {
  const folder = join(deps.settings.agentsFolder, VIEWS_FOLDER, randomUUID());
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    return await work({ originalPath: join(folder, 'original'), madePath: join(folder, 'made') });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Puts the original's bytes into a new file. A refusal if they are not those that were uploaded. */
export async function fetchOriginal(
  { deps }: ToolScope,
  { key, attachment }: Granted,
  path: string,
): Promise<Refusal | undefined> {
  await deps.blobs.copyToFile(parseBlobKey(key), path);
  return (await hashFile(path)) === attachment.sha256 ? undefined : changed(attachment);
}

function changed({ mimeType }: Attachment): Refusal {
  return {
    code: 'attachment_checksum_mismatch',
    message: `The stored bytes of this ${mimeType} are not those that were uploaded. Ask for it to be uploaded again.`,
    retryable: false,
  };
}
