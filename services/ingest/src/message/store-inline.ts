import { Fault, type InlineAttachment, uuidFromId } from '@attache/contracts';
import { type IncomingFile, type IntakeDeps, noBytes, storeAttachment, tooLarge } from '@attache/intake';
import { assertRight, type Caller } from '../caller/caller.ts';
import type { IngestDeps } from '../ingest-deps.ts';
import { type DiscardDeps, discardAttachments } from './delete-attachment.ts';

type InlineFile = InlineAttachment & { bytes: Buffer };

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Bytes of a simple payload: base64, bare or as a data URL, with line breaks or without. */
function decode({ data }: InlineAttachment, index: number): Buffer {
  const bare = data.startsWith('data:') ? data.slice(data.indexOf(',') + 1) : data;
  const text = /\s/.test(bare) ? bare.replaceAll(/\s/g, '') : bare;
  const isDataUrl = !data.startsWith('data:') || /^data:[^,]{0,300};base64,/.test(data);
  if (!isDataUrl || text.length % 4 === 1 || !BASE64.test(text)) {
    throw new Fault('INVALID_REQUEST', `attachments.${index}.data is not base64. Send base64, or upload the file.`);
  }
  return Buffer.from(text, 'base64');
}

function decodeAll(attachments: readonly InlineAttachment[], maxBytes: number): InlineFile[] {
  const files = attachments.map((attachment, index) => ({ ...attachment, bytes: decode(attachment, index) }));
  if (files.some(({ bytes }) => bytes.length === 0)) throw noBytes();
  if (files.some(({ bytes }) => bytes.length > maxBytes)) throw tooLarge(maxBytes);
  return files;
}

export type StoreDeps = DiscardDeps & IntakeDeps & { settings: Pick<IngestDeps['settings'], 'maxUploadBytes'> };

/** Stores files that came inside a message, as uploads of this session, and answers their uuids (DL-46): all of them, or none. */
export async function storeInline(
  deps: StoreDeps,
  caller: Caller,
  sessionId: string,
  attachments: readonly InlineAttachment[],
): Promise<string[]> {
  if (attachments.length === 0) return [];
  assertRight(caller, 'attachments:write');
  const maxBytes = caller.maxUploadBytes ?? deps.settings.maxUploadBytes;
  const ids: string[] = [];
  for (const { bytes, mimeType, filename } of decodeAll(attachments, maxBytes)) {
    const file: IncomingFile = {
      tenantId: caller.tenantId,
      sessionId,
      sizeBytes: bytes.length,
      maxBytes,
      origin: 'upload',
      actor: caller.actor,
    };
    const opened = { stream: streamOf(bytes), name: filename, declaredMimeType: mimeType, source: 'inbox' } as const;
    const { stored } = await storeAttachment(deps, file, async () => opened).catch(async (error) => {
      await discardInline(deps, caller, ids);
      throw error;
    });
    ids.push(uuidFromId(stored.attachment.id));
  }
  return ids;
}

async function* streamOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Takes back what a message brought that was then refused: nothing of it is kept, and its bytes go behind the answer. */
export async function discardInline(
  deps: DiscardDeps,
  caller: Caller,
  attachmentIds: readonly string[],
): Promise<void> {
  if (attachmentIds.length > 0) await discardAttachments(deps, caller, attachmentIds);
}
