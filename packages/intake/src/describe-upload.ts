import { createHash } from 'node:crypto';
import { type Attachment, idFromUuid, SCHEMA_VERSION } from '@attache/contracts';
import { classifyMediaType, labelFile, type PassingFinding, sanitizeName } from '@attache/domain';
import type { IncomingFile, IntakeDeps, ReceivedFile } from './incoming-file.ts';
import type { MeasuredStream, Measurement } from './measure-stream.ts';
import { DEFAULT_URL_LIFETIME_SECONDS, expiryOf, signRawUrl } from './raw-url.ts';

const DECLARED_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/;

function normalizeDeclaredType(declared: string | undefined): string | undefined {
  const type = declared?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return DECLARED_TYPE.test(type) ? type : undefined;
}

type FileIdentity = {
  sha256: string;
  sizeBytes: number;
  name: string;
  declaredMimeType: string;
  source: string;
  encoding?: string;
};

function identify(file: ReceivedFile, measured: MeasuredStream): FileIdentity {
  const { sha256, sizeBytes } = measured.result();
  return {
    sha256,
    sizeBytes,
    name: file.name ?? '',
    declaredMimeType: file.declaredMimeType ?? '',
    source: file.source ?? '',
    ...(file.encoding === undefined ? {} : { encoding: file.encoding }),
  };
}

/** The fingerprint by which two uploads under one idempotency key count as the same. */
export const fingerprintOf = (file: ReceivedFile, measured: MeasuredStream): string =>
  createHash('sha256')
    .update(JSON.stringify(identify(file, measured)))
    .digest('hex');

type Claims = { name: string; declaredMimeType: string | undefined };

/** Reads the recorded claims about a file from its sender's statements. */
export function readClaims(file: ReceivedFile): Claims {
  return {
    name: sanitizeName(file.name, 'attachment'),
    declaredMimeType: normalizeDeclaredType(file.declaredMimeType),
  };
}

type Passed = Measurement & { found: PassingFinding | undefined };

/** The descriptor of a file whose bytes are stored: ready if these showed everything, otherwise still to be inspected. */
export function describeUpload(
  file: ReceivedFile,
  attachmentId: string,
  { sha256, sizeBytes, head, found }: Passed,
): Attachment {
  const claims = readClaims(file);
  const { name, declaredMimeType } = claims;
  const mimeType = found?.mimeType ?? labelFile(head, claims);
  return {
    id: idFromUuid('attachment', attachmentId),
    sessionId: idFromUuid('session', file.sessionId),
    name,
    mimeType,
    ...(declaredMimeType === undefined ? {} : { declaredMimeType }),
    kind: found?.kind ?? classifyMediaType(mimeType),
    size: sizeBytes,
    sizeBytes,
    sha256,
    origin: file.origin,
    ...(file.source === undefined ? {} : { source: file.source }),
    status: found ? 'ready' : 'pending',
    facts: found?.facts ?? {},
    variants: [],
    warnings: found?.warnings ?? [],
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
  const expiresAt = expiryOf(urlLifetimeSeconds, Date.parse(attachment.createdAt) / 1000);
  const claims = { attachmentId: attachment.id, expiresAt, generation: 1, tenantGeneration };
  return signRawUrl(deps.signingKeys, deps.baseUrl(), tenantId, claims);
}
