import { parseBlobKey } from '@attache/blob-store';
import { type Attachment, Fault } from '@attache/contracts';
import { appendAsCaller, findAttachment, recordReading, type StoredAttachment } from '@attache/database';
import { createEncodedInspection, type PassingFinding } from '@attache/domain';
import { encodingMismatch } from '@attache/intake';
import type { Caller } from '../../caller/caller.ts';
import type { IngestDeps } from '../../ingest-deps.ts';
import { attachmentNotFound } from '../../not-found.ts';

type Deps = Pick<IngestDeps, 'db' | 'blobs'>;

/**
 * Reads a text in the encoding that the caller names, from now on; messages that were sent keep their plans. The label must be known. Faults:
 * `ATTACHMENT_PENDING`, `ENCODING_MISMATCH`.
 */
export async function nameEncoding(
  deps: Deps,
  { tenantId, actor }: Caller,
  stored: StoredAttachment,
  encoding: string,
): Promise<Attachment> {
  const { id: attachmentId, status } = stored.attachment;
  if (status === 'pending') {
    throw new Fault(
      'ATTACHMENT_PENDING',
      'The attachment is still being inspected. Send the request again in a moment.',
      {
        retryable: true,
        retryAfterSeconds: 1,
      },
    );
  }
  const found = status === 'ready' ? await inspectAs(deps, stored, encoding) : undefined;
  if (found === undefined) throw encodingMismatch(encoding);
  const { warnings, ...said } = found;
  return deps.db.asTenant(tenantId, async (tx) => {
    if (!(await recordReading(tx, stored.id, found))) throw attachmentNotFound();
    await appendAsCaller(tx, stored.sessionId, [{ kind: 'attachment.ready', actor, data: { attachmentId, ...said } }]);
    const changed = await findAttachment(tx, stored.id);
    if (!changed) throw attachmentNotFound();
    return changed.attachment;
  });
}

async function inspectAs(
  { blobs }: Deps,
  { attachment: { name, declaredMimeType }, blobKey }: StoredAttachment,
  encoding: string,
): Promise<PassingFinding | undefined> {
  const inspection = createEncodedInspection(encoding, { name, declaredMimeType });
  for await (const chunk of await blobs.get(parseBlobKey(blobKey))) inspection.push(chunk);
  return inspection.end();
}
