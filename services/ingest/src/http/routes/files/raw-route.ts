import { BlobNotFoundError, parseBlobKey } from '@attache/blob-store';
import { Fault, isFault, uuidFromId } from '@attache/contracts';
import { type FoundRaw, findRaw, readPermitted } from '@attache/database';
import { isActiveMediaType, isInlineSafe } from '@attache/domain';
import { type VerifiedRawUrl, verifyRawQuery } from '@attache/intake';
import { currentTraceId } from '@attache/telemetry';
import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { attachmentNotFound } from '../../../not-found.ts';
import { addRoute } from '../../add-route.ts';
import { formatCacheControl, isLastingType } from '../../bytes/cache-control.ts';
import { formatDisposition } from '../../bytes/content-disposition.ts';
import { formatEntityTag, namesEntityTag } from '../../bytes/entity-tag.ts';
import { parseRange } from '../../bytes/parse-range.ts';
import { redirectToStore } from '../../bytes/redirect-to-store.ts';
import { toWebStream } from '../../bytes/to-web-stream.ts';
import type { HttpApp, HttpDeps, HttpEnv } from '../../context.ts';
import { countUntilAnswered } from '../../gate.ts';
import { problemResponse } from '../../problem-response.ts';
import { addressOf } from '../../server/address-of.ts';

/** The holder of the requests of a tenant that bring a signature and no credential. */
const SIGNED = 'signed';

const invalidSignature = (): Fault =>
  new Fault('INVALID_SIGNATURE', 'The signed URL is incomplete, altered, expired or was ended. Ask for a new one.');

/** The bytes behind a URL, with the facts about them. */
type Served = {
  key: string;
  mimeType: string;
  sizeBytes: number;
  sha256: string;
  name: string;
  isInlineAllowed: boolean;
  /** Whether bytes and type under this URL stay as they are. */
  isLasting: boolean;
};

// The signature first, whether or not the id exists (AT-20); the row is read only after it (AT-21).
function verify(deps: HttpDeps, c: Context<HttpEnv>): VerifiedRawUrl {
  const url = c.env.incoming.url ?? '';
  const query = url.includes('?') ? url.slice(url.indexOf('?') + 1) : '';
  const attachmentId = c.req.param('attachmentId') ?? '';
  const verified = verifyRawQuery(deps.signingKeys, { attachmentId, query, nowSeconds: Date.now() / 1000 });
  if (!verified) throw invalidSignature();
  return verified;
}

async function findServed(deps: HttpDeps, c: Context<HttpEnv>, url: VerifiedRawUrl): Promise<Served> {
  const variantId = url.variantId === undefined ? undefined : uuidFromId(url.variantId);
  const found = await findRaw(deps.db, uuidFromId(url.attachmentId), variantId);
  if (!found) throw attachmentNotFound();
  if (!url.isForTenant(found.tenantId) || found.isSuspended) throw invalidSignature();
  await deps.limiter.countSigned(found.tenantId);
  countUntilAnswered(deps, c, { tenantId: found.tenantId, actor: { id: SIGNED } });
  await deps.origins.admit(c, found.tenantId);
  if (found.isDeleted) throw attachmentNotFound();
  if (found.urlGeneration !== url.generation || found.tenantUrlGeneration !== url.tenantGeneration)
    throw invalidSignature();
  if (!(await isStillGranted(deps, found, url))) throw invalidSignature();
  if (variantId === undefined) return serveOriginal(found);
  if (!found.variant) throw attachmentNotFound();
  return { ...found.variant, name: found.name, isInlineAllowed: isInlineSafe(found.variant.mimeType), isLasting: true };
}

// A URL that was given to an agent for a file that it was granted ends with that grant.
async function isStillGranted(deps: HttpDeps, found: FoundRaw, url: VerifiedRawUrl): Promise<boolean> {
  if (url.agentId === undefined) return true;
  const { tenantId, sessionId } = found;
  const attachmentId = uuidFromId(url.attachmentId);
  const permitted = await readPermitted(deps.db, { tenantId, sessionId, agentId: uuidFromId(url.agentId) }, [
    attachmentId,
  ]);
  return permitted.has(attachmentId);
}

// Active types are download-only, and so are files that were not inspected or were rejected (A34).
function serveOriginal({ original, name, status, encoding }: FoundRaw): Served {
  const { mimeType } = original;
  const isInlineAllowed = status === 'ready' && isInlineSafe(mimeType) && !isActiveMediaType(mimeType);
  const contentType = mimeType.startsWith('text/') && encoding ? `${mimeType}; charset=${encoding}` : mimeType;
  // Inspection changes how a file is shown.
  const isLasting = status === 'ready' && isLastingType(mimeType, encoding);
  return { ...original, mimeType: contentType, name, isInlineAllowed, isLasting };
}

function headersOf(served: Served, url: VerifiedRawUrl): Headers {
  const disposition = served.isInlineAllowed ? (url.disposition ?? 'inline') : 'attachment';
  return new Headers({
    'content-type': served.mimeType,
    'content-length': String(served.sizeBytes),
    'content-disposition': formatDisposition(disposition, served.name),
    'cache-control': formatCacheControl(served.isLasting, url.expiresAt, Date.now() / 1000),
    etag: formatEntityTag(served.sha256, served.mimeType),
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    'cross-origin-resource-policy': 'cross-origin',
    'referrer-policy': 'no-referrer',
  });
}

async function openBytes(
  deps: HttpDeps,
  served: Served,
  range: ReturnType<typeof parseRange>,
): Promise<ReadableStream> {
  try {
    return toWebStream(await deps.blobs.get(parseBlobKey(served.key), range));
  } catch (error) {
    if (!(error instanceof BlobNotFoundError)) throw error;
    throw new Fault('STORAGE_UNAVAILABLE', 'The bytes of this attachment are missing from the blob store.', {
      cause: error,
    });
  }
}

// A client that asked for too much learns the size (RFC 9110 §15.5.17).
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

async function admit(deps: HttpDeps, c: Context<HttpEnv>): Promise<{ url: VerifiedRawUrl; served: Served }> {
  try {
    const url = verify(deps, c);
    return { url, served: await findServed(deps, c, url) };
  } catch (error) {
    if (isFault(error, 'INVALID_SIGNATURE')) await deps.limiter.countFailure('signature', addressOf(deps.settings, c));
    throw error;
  }
}

async function serve(deps: HttpDeps, c: Context<HttpEnv>): Promise<Response> {
  const { url, served } = await admit(deps, c);
  const headers = headersOf(served, url);
  const etag = headers.get('etag') ?? '';
  if (namesEntityTag(c.req.header('if-none-match'), etag)) {
    headers.delete('content-length');
    return new Response(null, { status: 304, headers });
  }
  // The store's own URL would outlive a grant. A page that reads the bytes gets them from here: the store allows no origin of a tenant, and
  // browsers send it `null` after a redirect from another address.
  if (c.req.method === 'GET' && url.agentId === undefined && c.req.header('origin') === undefined) {
    const redirect = await redirectToStore(deps.blobs, served, url.expiresAt - Date.now() / 1000);
    if (redirect) return redirect;
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
  exp: z.string().optional().describe('When the URL ends, in seconds since 1970.'),
  kid: z.string().optional().describe('Which signing key made it.'),
  g: z.string().optional().describe('URL generation of the attachment.'),
  sig: z.string().optional().describe('The signature.'),
  v: z.string().optional().describe('The variant that is meant.'),
  d: z.string().optional().describe('Disposition of the answer.'),
  t: z.string().optional().describe('URL generation of the tenant.'),
  a: z.string().optional().describe('The agent that the URL was given to.'),
});

export function addRawRoute(app: HttpApp, deps: HttpDeps): void {
  addRoute(app, deps, 'readRaw', {
    summary: 'Read the bytes: the signature alone admits (HEAD, Range and If-None-Match too)',
    query: rawQuery,
    answers: {
      // With the type of the file; generators of clients know this one alone.
      200: {
        description: "The bytes, with the file's own Content-Type.",
        content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
      },
      206: { description: 'One range of the bytes.' },
      302: { description: 'Where clients reach the object store themselves: its own URL, which ends soon.' },
      304: { description: 'Not modified.' },
      416: { description: 'The range lies outside the file.' },
    },
    handle: (c) => serve(deps, c),
  });
}
