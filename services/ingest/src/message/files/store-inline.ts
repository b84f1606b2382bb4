import { type Attachment, Fault, type InlineAttachment, uuidFromId } from '@attache/contracts';
import {
  type IncomingFile,
  type IntakeDeps,
  noBytes,
  type OpenedFile,
  storeAttachment,
  tooLarge,
} from '@attache/intake';
import { assertRight, type Caller } from '../../caller/caller.ts';
import type { IngestDeps } from '../../ingest-deps.ts';
import { type DiscardDeps, discardAttachments } from './delete-attachment.ts';
import { decodeBase64, measureBase64 } from './inline-base64.ts';

/** A file inside a message. Its data are base64, bare or as a data URL, as JSON spells them. */
export type InlineFile = Omit<InlineAttachment, 'data'> & { data: Uint8Array };

type MeasuredFile = InlineFile & { sizeBytes: number };

async function measure(file: InlineFile, index: number): Promise<MeasuredFile> {
  const sizeBytes = await measureBase64(file.data);
  if (sizeBytes !== undefined) return { ...file, sizeBytes };
  throw new Fault('INVALID_REQUEST', `attachments.${index}.data is not base64. Send base64, or upload the file.`);
}

async function measureAll(files: readonly InlineFile[], maxBytes: number): Promise<MeasuredFile[]> {
  const measured = await Promise.all(files.map(measure));
  if (measured.some(({ sizeBytes }) => sizeBytes === 0)) throw noBytes();
  if (measured.some(({ sizeBytes }) => sizeBytes > maxBytes)) throw tooLarge(maxBytes);
  return measured;
}

export type StoreDeps = DiscardDeps & IntakeDeps & { settings: Pick<IngestDeps['settings'], 'maxUploadBytes'> };

/** Stores files that came inside a message, as uploads of this session (DL-46): all of them, or none. */
export async function storeInline(
  deps: StoreDeps,
  caller: Caller,
  sessionId: string,
  attachments: readonly InlineFile[],
): Promise<Attachment[]> {
  if (attachments.length === 0) return [];
  assertRight(caller, 'attachments:write');
  const measured = await measureAll(attachments, limitOf(deps, caller));
  const files = measured.map(({ data, sizeBytes, mimeType, filename }): MessageFile => {
    const opened = { stream: decodeBase64(data), name: filename, declaredMimeType: mimeType, source: 'inbox' } as const;
    return { sizeBytes, opened };
  });
  return storeFiles(deps, caller, sessionId, files);
}

const limitOf = (deps: StoreDeps, caller: Caller): number => caller.maxUploadBytes ?? deps.settings.maxUploadBytes;

/** A file that came inside a message, once its size is known. */
export type MessageFile = { sizeBytes: number; opened: OpenedFile };

/** Stores all of these files, or none. */
export async function storeFiles(
  deps: StoreDeps,
  caller: Caller,
  sessionId: string,
  files: readonly MessageFile[],
): Promise<Attachment[]> {
  if (files.length > 0) assertRight(caller, 'attachments:write');
  const maxBytes = limitOf(deps, caller);
  if (files.some(({ sizeBytes }) => sizeBytes > maxBytes)) throw tooLarge(maxBytes);
  const attachments: Attachment[] = [];
  for (const { sizeBytes, opened } of files) {
    const file: IncomingFile = {
      tenantId: caller.tenantId,
      sessionId,
      sizeBytes,
      maxBytes,
      origin: 'upload',
      actor: caller.actor,
      urlLifetimeSeconds: caller.urls.maxLifetimeSeconds,
    };
    const { stored } = await storeAttachment(deps, file, async () => opened).catch(async (error) => {
      await discardInline(deps, caller, attachments);
      throw error;
    });
    attachments.push(stored.attachment);
  }
  return attachments;
}

/** Removes the files of a message that was then refused: nothing of them is kept, and their bytes are deleted after the answer. */
export async function discardInline(
  deps: DiscardDeps,
  caller: Caller,
  attachments: readonly Pick<Attachment, 'id'>[],
): Promise<void> {
  if (attachments.length === 0) return;
  const ids = attachments.map(({ id }) => uuidFromId(id));
  await discardAttachments(deps, caller, ids);
}
