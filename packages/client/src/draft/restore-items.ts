import type { Attachment } from '@attache/contracts';
import type { AttachmentClient } from '../attachment-client.ts';
import { isAttacheError } from '../errors/attache-error.ts';
import { createIdempotencyKey } from '../request/idempotency-key.ts';
import type { DraftSession } from './draft-session.ts';
import { judge, type NewItem } from './draft-state.ts';

const READS_TOGETHER = 6;
const URLS_TOGETHER = 100;

type RestoreDeps = { session: Pick<DraftSession, 'createUrls'>; attachmentOf(id: string): AttachmentClient };

/** Items of files that the server has already, in the order of their ids. */
export async function restoreItems(
  { session, attachmentOf }: RestoreDeps,
  attachmentIds: readonly string[],
): Promise<{ items: NewItem[]; missing: string[] }> {
  const ids = [...new Set(attachmentIds)];
  const found: (Attachment | undefined)[] = [];
  for (let at = 0; at < ids.length; at += READS_TOGETHER)
    found.push(...(await Promise.all(ids.slice(at, at + READS_TOGETHER).map((id) => find(attachmentOf(id))))));
  const attachments = found.flatMap((attachment) => attachment ?? []);
  const urls = await createUrls(session, attachments);
  return {
    items: attachments.map((attachment) => toItem(attachment, urls.get(attachment.id))),
    missing: ids.filter((_, index) => found[index] === undefined),
  };
}

async function find(attachment: AttachmentClient): Promise<Attachment | undefined> {
  try {
    return await attachment.read();
  } catch (error) {
    if (isAttacheError(error, 'ATTACHMENT_NOT_FOUND')) return undefined;
    throw error;
  }
}

async function createUrls(session: RestoreDeps['session'], attachments: Attachment[]): Promise<Map<string, string>> {
  const urls = new Map<string, string>();
  try {
    for (let at = 0; at < attachments.length; at += URLS_TOGETHER) {
      const ids = attachments.slice(at, at + URLS_TOGETHER).map(({ id }) => id);
      for (const { attachmentId, url } of (await session.createUrls(ids)).urls) urls.set(attachmentId, url);
    }
  } catch {
    // Without the right to make URLs a file is restored and not shown.
  }
  return urls;
}

function toItem(attachment: Attachment, displayUrl: string | undefined): NewItem {
  const { name, mimeType, kind, sizeBytes, source } = attachment;
  const idempotencyKey = createIdempotencyKey();
  return {
    ...{ key: idempotencyKey, idempotencyKey, name, mimeType, kind, sizeBytes, source },
    ...{ file: undefined, body: undefined, storedId: attachment.id, stage: judge(attachment, displayUrl) },
  };
}
