import type { Attachment } from '@attache/contracts';

/** A small text, as the server describes it. */
export function describeAttachment(id: string, status: Attachment['status'] = 'ready'): Attachment {
  return {
    id: `att_${id}`,
    sessionId: 'ses_1',
    name: `${id}.txt`,
    mimeType: 'text/plain',
    kind: 'text',
    size: 10,
    sizeBytes: 10,
    sha256: '0'.repeat(64),
    origin: 'upload',
    status,
    facts: {},
    variants: [],
    warnings: [],
    createdAt: '2026-01-01T00:00:00.000Z',
    schemaVersion: 1,
  };
}
