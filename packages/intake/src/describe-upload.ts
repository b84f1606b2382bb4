import { createHash } from 'node:crypto';
import { type Attachment, idFromUuid, SCHEMA_VERSION } from '@attache/contracts';
import type { NewEvent } from '@attache/database';
import { classifyMediaType, labelFile, sanitizeName } from '@attache/domain';
import type { IncomingFile, IntakeDeps, ReceivedFile } from './incoming-file.ts';
import type { MeasuredStream } from './measure-stream.ts';
import { DEFAULT_URL_LIFETIME_SECONDS, signRawUrl } from './raw-url.ts';

const DECLARED_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/;

function normalizeDeclaredType(declared: string | undefined): string | undefined {
  const type = declared?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return DECLARED_TYPE.test(type) ? type : undefined;
}

type FileIdentity = { sha256: string; sizeBytes: number; name: string; declaredMimeType: string; source: string };

function identify(file: ReceivedFile, measured: MeasuredStream): FileIdentity {
  const { sha256, sizeBytes } = measured.result();
  return {
    sha256,
    sizeBytes,
    name: file.name ?? '',
    declaredMimeType: file.declaredMimeType ?? '',
    source: file.source ?? '',
  };
}

/** What makes two uploads under one idempotency key the same. */
export const fingerprintOf = (file: ReceivedFile, measured: MeasuredStream): string =>
  createHash('sha256')
    .update(JSON.stringify(identify(file, measured)))
    .digest('hex');

/** The descriptor of a file whose bytes are stored and which nothing has inspected yet. */
export function describeUpload(file: ReceivedFile, attachmentId: string, measured: MeasuredStream): Attachment {
  const { sha256, sizeBytes, head } = measured.result();
  const declaredMimeType = normalizeDeclaredType(file.declaredMimeType);
  const name = sanitizeName(file.name, 'attachment');
  const mimeType = labelFile(head, { name, declaredMimeType });
  return {
    id: idFromUuid('attachment', attachmentId),
    sessionId: idFromUuid('session', file.sessionId),
    name,
    mimeType,
    ...(declaredMimeType === undefined ? {} : { declaredMimeType }),
    kind: classifyMediaType(mimeType),
    size: sizeBytes,
    sizeBytes,
    sha256,
    origin: file.origin,
    ...(file.source === undefined ? {} : { source: file.source }),
    status: 'pending',
    facts: {},
    variants: [],
    warnings: [],
    createdAt: new Date().toISOString(),
    schemaVersion: SCHEMA_VERSION,
  };
}

/** The display URL of a new attachment: the same for the same attachment, so that a repeated request gets the same answer. */
export function displayUrlOf(
  deps: IntakeDeps,
  { tenantId, urlLifetimeSeconds = DEFAULT_URL_LIFETIME_SECONDS }: IncomingFile,
  attachment: Attachment,
  tenantGeneration: number,
): string {
  const expiresAt = Math.floor(Date.parse(attachment.createdAt) / 1000) + urlLifetimeSeconds;
  const claims = { attachmentId: attachment.id, expiresAt, generation: 1, tenantGeneration };
  return signRawUrl(deps.signingKeys, deps.baseUrl(), tenantId, claims);
}

export function eventsOf(file: ReceivedFile, attachment: Attachment, grantId: string | undefined): NewEvent[] {
  const { id: attachmentId, kind, mimeType, sizeBytes, sha256, origin, source } = attachment;
  const added: NewEvent = {
    kind: 'attachment.added',
    actor: file.actor,
    data: { attachmentId, kind, mimeType, sizeBytes, sha256, origin, ...(source === undefined ? {} : { source }) },
  };
  if (file.agentId === undefined || grantId === undefined) return [added];
  const data = {
    grantId: idFromUuid('grant', grantId),
    attachmentId,
    agentId: idFromUuid('agent', file.agentId),
  };
  return [added, { kind: 'grant.created', actor: file.actor, data }];
}
