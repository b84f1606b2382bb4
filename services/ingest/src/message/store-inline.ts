import { Fault, type InlineAttachment, uuidFromId } from '@attache/contracts';
import { type IncomingFile, type IntakeDeps, noBytes, storeAttachment, tooLarge } from '@attache/intake';
import { assertRight, type Caller } from '../caller/caller.ts';
import type { IngestDeps } from '../ingest-deps.ts';
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

/** Stores files that came inside a message, as uploads of this session, and answers their uuids (DL-46): all of them, or none. */
export async function storeInline(
  deps: StoreDeps,
  caller: Caller,
  sessionId: string,
  attachments: readonly InlineFile[],
): Promise<string[]> {
  if (attachments.length === 0) return [];
  assertRight(caller, 'attachments:write');
  const maxBytes = caller.maxUploadBytes ?? deps.settings.maxUploadBytes;
  const ids: string[] = [];
  for (const { data, sizeBytes, mimeType, filename } of await measureAll(attachments, maxBytes)) {
    const file: IncomingFile = {
      tenantId: caller.tenantId,
      sessionId,
      sizeBytes,
      maxBytes,
      origin: 'upload',
      actor: caller.actor,
      urlLifetimeSeconds: caller.urls.maxLifetimeSeconds,
    };
    const opened = { stream: decodeBase64(data), name: filename, declaredMimeType: mimeType, source: 'inbox' } as const;
    const { stored } = await storeAttachment(deps, file, async () => opened).catch(async (error) => {
      await discardInline(deps, caller, ids);
      throw error;
    });
    ids.push(uuidFromId(stored.attachment.id));
  }
  return ids;
}

/** Removes the files of a message that was then refused: nothing of them is kept, and their bytes are deleted after the answer. */
export async function discardInline(
  deps: DiscardDeps,
  caller: Caller,
  attachmentIds: readonly string[],
): Promise<void> {
  if (attachmentIds.length > 0) await discardAttachments(deps, caller, attachmentIds);
}
