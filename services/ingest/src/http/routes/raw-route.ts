import { Readable } from 'node:stream';
import { BlobNotFoundError, parseBlobKey } from '@attache/blob-store';
import { type Attachment, Fault, isFault, uuidFromId } from '@attache/contracts';
import { findAttachment, findTenantOfAttachment, findVariant, type StoredAttachment } from '@attache/database';
import { isActiveMediaType, isInlineSafe } from '@attache/domain';
import { type VerifiedRawUrl, verifyRawQuery } from '@attache/intake';
import { currentTraceId } from '@attache/telemetry';
import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { attachmentNotFound } from '../../delete-attachment.ts';
import type { IngestDeps } from '../../ingest-deps.ts';
import { addRoute } from '../add-route.ts';
import { formatDisposition } from '../content-disposition.ts';
import type { HttpApp, HttpEnv } from '../context.ts';
import { parseRange } from '../parse-range.ts';
import { problemResponse } from '../problem-response.ts';

const invalidSignature = (): Fault =>
  new Fault('INVALID_SIGNATURE', 'The signed URL is incomplete, altered, expired or was ended. Ask for a new one.');

/** The bytes behind a URL, with what is said of them. */
type Served = {
  key: string;
  mimeType: string;
  sizeBytes: number;
  sha256: string;
  name: string;
  isInlineAllowed: boolean;
};

// The signature first, whether or not the id exists (AT-20); the row is read only after it (AT-21).
function verify(deps: IngestDeps, c: Context<HttpEnv>): VerifiedRawUrl {
  const url = c.env.incoming.url ?? '';
  const query = url.includes('?') ? url.slice(url.indexOf('?') + 1) : '';
  const attachmentId = c.req.param('attachmentId') ?? '';
  const verified = verifyRawQuery(deps.signingKeys, { attachmentId, query, nowSeconds: Date.now() / 1000 });
  if (!verified) throw invalidSignature();
  return verified;
}

async function findServed(deps: IngestDeps, url: VerifiedRawUrl): Promise<Served> {
  const id = uuidFromId(url.attachmentId);
  const tenantId = await findTenantOfAttachment(deps.db, id);
  if (tenantId === undefined) throw attachmentNotFound();
  if (!url.isForTenant(tenantId)) throw invalidSignature();
  return deps.db.asTenant(tenantId, async (tx) => {
    const stored = await findAttachment(tx, id);
    if (!stored) throw attachmentNotFound();
    if (stored.urlGeneration !== url.generation) throw invalidSignature();
    if (url.variantId === undefined) return serveOriginal(stored);
    const found = await findVariant(tx, uuidFromId(url.variantId));
    if (!found || found.sourceSha256 !== stored.attachment.sha256) throw attachmentNotFound();
    return { ...found.variant, key: found.blobKey, name: stored.attachment.name, isInlineAllowed: true };
  });
}

// Active types are download-only, and so is what was not inspected or was rejected (A34).
function serveOriginal({ attachment, blobKey }: StoredAttachment): Served {
  const isInlineAllowed =
    attachment.status === 'ready' && isInlineSafe(attachment.mimeType) && !isActiveMediaType(attachment.mimeType);
  return { ...attachment, mimeType: contentTypeOf(attachment), key: blobKey, isInlineAllowed };
}

function contentTypeOf({ mimeType, facts }: Attachment): string {
  return mimeType.startsWith('text/') && facts.encoding ? `${mimeType}; charset=${facts.encoding}` : mimeType;
}

function headersOf(served: Served, url: VerifiedRawUrl): Headers {
  const disposition = served.isInlineAllowed ? (url.disposition ?? 'inline') : 'attachment';
  return new Headers({
    'content-type': served.mimeType,
    'content-length': String(served.sizeBytes),
    'content-disposition': formatDisposition(disposition, served.name),
    'cache-control': 'private, max-age=300',
    etag: `"${served.sha256}"`,
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    'cross-origin-resource-policy': 'cross-origin',
    'referrer-policy': 'no-referrer',
  });
}

function isUnchanged(c: Context<HttpEnv>, etag: string): boolean {
  const header = c.req.header('if-none-match');
  if (header === undefined) return false;
  return header
    .split(',')
    .some((candidate) => candidate.trim() === '*' || candidate.trim().replace(/^W\//, '') === etag);
}

async function openBytes(
  deps: IngestDeps,
  served: Served,
  range: ReturnType<typeof parseRange>,
): Promise<ReadableStream> {
  try {
    return Readable.toWeb(await deps.blobs.get(parseBlobKey(served.key), range)) as ReadableStream;
  } catch (error) {
    if (!(error instanceof BlobNotFoundError)) throw error;
    throw new Fault('STORAGE_UNAVAILABLE', 'The bytes of this attachment are missing from the blob store.', {
      cause: error,
    });
  }
}

// A client that asked for too much learns what there is (RFC 9110 §15.5.17).
function readRange(header: string | undefined, sizeBytes: number): ReturnType<typeof parseRange> | Response {
  try {
    return parseRange(header, sizeBytes);
  } catch (error) {
    if (!isFault(error, 'RANGE_NOT_SATISFIABLE')) throw error;
    const refusal = problemResponse(error, currentTraceId());
    refusal.headers.set('content-range', `bytes */${sizeBytes}`);
    return refusal;
  }
}

async function serve(deps: IngestDeps, c: Context<HttpEnv>): Promise<Response> {
  const url = verify(deps, c);
  const served = await findServed(deps, url);
  const headers = headersOf(served, url);
  const etag = headers.get('etag') ?? '';
  if (isUnchanged(c, etag)) {
    headers.delete('content-length');
    return new Response(null, { status: 304, headers });
  }
  const ifRange = c.req.header('if-range');
  const wanted = ifRange === undefined || ifRange === etag ? c.req.header('range') : undefined;
  const range = readRange(wanted, served.sizeBytes);
  if (range instanceof Response) return range;
  if (range) {
    headers.set('content-range', `bytes ${range.start}-${range.end}/${served.sizeBytes}`);
    headers.set('content-length', String(range.end - range.start + 1));
  }
  const body = c.req.method === 'HEAD' ? null : await openBytes(deps, served, range);
  return new Response(body, { status: range ? 206 : 200, headers });
}

const rawQuery = z.object({
  exp: z.string().optional(),
  kid: z.string().optional(),
  g: z.string().optional(),
  sig: z.string().optional(),
  v: z.string().optional(),
  d: z.string().optional(),
});

export function addRawRoute(app: HttpApp, deps: IngestDeps): void {
  addRoute(app, deps, 'readRaw', {
    summary: 'Read the bytes: the signature alone admits (HEAD, Range and If-None-Match too)',
    query: rawQuery,
    answers: {
      200: { description: 'The bytes.', content: { '*/*': { schema: { type: 'string', format: 'binary' } } } },
      206: { description: 'One range of the bytes.' },
      304: { description: 'Not modified.' },
      416: { description: 'The range lies outside the file.' },
    },
    handle: (c) => serve(deps, c),
  });
}
