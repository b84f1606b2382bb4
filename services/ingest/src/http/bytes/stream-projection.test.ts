import { type BlobKey, BlobNotFoundError, type BlobStore, createBlobKey } from '@attache/blob-store';
import { Fault, idFromUuid, type Part } from '@attache/contracts';
import type { StoredAttachment } from '@attache/database';
import { expect, it } from 'vitest';
import type { Projected } from '../../message/project-message.ts';
import { streamProjection } from './stream-projection.ts';

const uuid = '00000000-0000-4000-8000-000000000001';
const attachmentId = idFromUuid('attachment', uuid);
const blobKey: BlobKey = createBlobKey(uuid, Buffer.alloc(16));
const bytes = { attachmentId, mimeType: 'image/png', sizeBytes: 3, sha256: 'a'.repeat(64) };
const parts: Part[] = [{ type: 'image', bytes }];
const attachments = [{ id: uuid, blobKey, variantKeys: new Map() } as unknown as StoredAttachment];
const projected = { parts, plan: {}, attachments } as unknown as Projected;

function ask(head: () => Promise<never>): Promise<Response> {
  const blobs = { head } as unknown as BlobStore;
  const fixture = {
    blobs,
    signingKeys: [] as never,
    baseUrl: '',
    tenantId: uuid,
    tenantGeneration: 1,
    format: 'anthropic',
    bytes: 'inline',
  } as const;
  return streamProjection(fixture, projected);
}

it('refuses a file that is gone before the first byte of the answer [DL-40]', async () => {
  await expect(ask(() => Promise.reject(new BlobNotFoundError(blobKey)))).rejects.toMatchObject({
    code: 'ATTACHMENT_NOT_FOUND',
  });
});

it('does not call a file gone while its store does not answer [W14]', async () => {
  const away = new Fault('STORAGE_UNAVAILABLE', 'The store does not answer.', { retryable: true });
  await expect(ask(() => Promise.reject(away))).rejects.toBe(away);
});
