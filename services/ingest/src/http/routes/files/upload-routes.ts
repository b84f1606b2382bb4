import { randomUUID } from 'node:crypto';
import {
  type AttachmentSource,
  attachmentSchema,
  attachmentSourceSchema,
  Fault,
  idFromUuid,
  type RouteName,
} from '@attache/contracts';
import { type IncomingFile, type OpenedFile, readMultipart, type StoredFile, storeAttachment } from '@attache/intake';
import { logUploadAccepted, logUploadRefused } from '@attache/telemetry';
import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { openAnswer, sealAnswer } from '../../../once/sealed-answer.ts';
import { addRoute, json } from '../../add-route.ts';
import { readIdempotencyKey } from '../../answer-once.ts';
import { readBody } from '../../bytes/read-body.ts';
import type { HttpApp, HttpDeps, HttpEnv } from '../../context.ts';
import { asFault } from '../../problem-response.ts';
import { readEncoding } from '../../read-encoding.ts';

const uploadAnswer = z.object({
  attachment: attachmentSchema,
  displayUrl: z.string().describe('A signed URL of the bytes. Whoever holds it may read them.'),
});
const encoding = z.string().max(64).optional().describe('Label of the encoding of a text.');
const formQuery = z.object({ encoding });
const rawQuery = z.object({
  name: z.string().optional().describe('Name of the file.'),
  source: z.string().optional().describe('How the file was brought in: one of the sources of an attachment.'),
  encoding,
});
const binary = { type: 'string', format: 'binary' };

function parseSource(source: string | undefined): AttachmentSource | undefined {
  if (source === undefined) return undefined;
  const parsed = attachmentSourceSchema.safeParse(source);
  if (parsed.success) return parsed.data;
  throw new Fault('INVALID_REQUEST', `source must be one of ${attachmentSourceSchema.options.join(', ')}.`);
}

/** Hex sha-256 of a `Repr-Digest` header (RFC 9530); other algorithms are ignored. */
function readDigest(c: Context<HttpEnv>): string | undefined {
  const header = c.req.header('repr-digest');
  const [, encoded] = /(?:^|,\s*)sha-256=:([A-Za-z0-9+/]{43}=):/.exec(header ?? '') ?? [];
  if (header === undefined || (encoded === undefined && !header.includes('sha-256'))) return undefined;
  if (encoded === undefined)
    throw new Fault('INVALID_REQUEST', 'Repr-Digest must be `sha-256=:<base64 of 32 bytes>:`.');
  return Buffer.from(encoded, 'base64').toString('hex');
}

/** The facts in the head of an upload, checked before its body is read. `open` begins to read the body. */
type Head = { sizeBytes?: number | undefined; bodyBytes?: number | undefined; open(): Promise<OpenedFile> };

type Body = { body: AsyncIterable<Uint8Array>; maxFileBytes: number };

async function* noteBytes(body: AsyncIterable<Uint8Array>, note: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    note(chunk.byteLength);
    yield chunk;
  }
}

function readLength(c: Context<HttpEnv>): number | undefined {
  const length = c.req.header('content-length');
  return length === undefined ? undefined : Number(length);
}

function readRaw(c: Context<HttpEnv>, { body }: Body): Head {
  const said = {
    encoding: parseEncoding(c),
    name: c.req.query('name'),
    source: parseSource(c.req.query('source')),
    declaredMimeType: c.req.header('content-type'),
    expectedSha256: readDigest(c),
  };
  return { sizeBytes: readLength(c), open: async () => ({ stream: body, ...said }) };
}

function parseEncoding(c: Context<HttpEnv>): string | undefined {
  const name = c.req.query('encoding');
  return name === undefined ? undefined : readEncoding(name);
}

function readForm(c: Context<HttpEnv>, { body, maxFileBytes }: Body): Head {
  const encoding = parseEncoding(c);
  const contentType = c.req.header('content-type') ?? '';
  return {
    bodyBytes: readLength(c),
    async open() {
      const { fields, file } = await readMultipart({ body, contentType, limits: { maxFileBytes } });
      // If an error is thrown before the body is read through, this promise must still have a listener for its rejection.
      file.finished.catch(() => {});
      return {
        stream: file.stream,
        encoding,
        name: fields.name ?? file.filename,
        source: parseSource(fields.source),
        declaredMimeType: file.declaredMimeType,
        finished: file.finished,
      };
    },
  };
}

function describeIdempotency(deps: HttpDeps, c: Context<HttpEnv>, route: RouteName): IncomingFile['idempotency'] {
  const key = readIdempotencyKey(c);
  if (key === undefined) return undefined;
  return {
    route,
    sessionId: c.get('sessionId'),
    key,
    principal: c.get('caller').principal,
    holder: deps.holder,
    ticket: randomUUID(),
    status: 201,
    seal: (stored) => sealAnswer(deps.signingKeys, stored),
    unseal: (sealed) => openAnswer<StoredFile>(deps.signingKeys, sealed),
  };
}

const intakeDeps = ({ db, blobs, signingKeys, holder, keyPools }: HttpDeps) => ({
  ...{ db, blobs, signingKeys, holder, keyPools },
});

async function store(
  deps: HttpDeps,
  baseUrl: () => string,
  c: Context<HttpEnv>,
  route: RouteName,
  readHead: (c: Context<HttpEnv>, body: Body) => Head,
) {
  const startedAt = performance.now();
  const caller = c.get('caller');
  const sessionId = c.get('sessionId');
  const maxBytes = caller.maxUploadBytes ?? deps.settings.maxUploadBytes;
  let receivedBytes = 0;
  let onEnd = () => {};
  try {
    onEnd = deps.open.uploads.open(caller);
    const body = noteBytes(readBody(c), (bytes) => (receivedBytes += bytes));
    const { open, ...head } = readHead(c, { body, maxFileBytes: maxBytes });
    const { stored, isReplay } = await storeAttachment(
      { ...intakeDeps(deps), baseUrl },
      {
        ...head,
        tenantId: caller.tenantId,
        sessionId,
        maxBytes,
        origin: 'upload',
        actor: caller.actor,
        urlLifetimeSeconds: caller.urls.maxLifetimeSeconds,
        idempotency: describeIdempotency(deps, c, route),
        terms: caller.upload && { ...caller.upload, urlGeneration: caller.urls.tenantGeneration },
      },
      open,
    );
    const { id: attachmentId, mimeType, sizeBytes, status } = stored.attachment;
    const durationMs = performance.now() - startedAt;
    logUploadAccepted(deps.log, {
      attachmentId,
      sessionId: stored.attachment.sessionId,
      mimeType,
      sizeBytes,
      durationMs,
      isReplay,
      status,
    });
    if (isReplay) c.header('Idempotency-Replayed', 'true');
    c.header('Location', `${deps.settings.basePath}/attachments/${attachmentId}`);
    return c.json(stored, 201);
  } catch (error) {
    const refused = { sessionId: idFromUuid('session', sessionId), code: asFault(error).code };
    logUploadRefused(deps.log, { ...refused, sizeBytes: receivedBytes });
    throw error;
  } finally {
    onEnd();
  }
}

export function addUploadRoutes(app: HttpApp, deps: HttpDeps, baseUrl: () => string): void {
  addRoute(app, deps, 'uploadMultipart', {
    isRepeatable: true,
    summary: 'Upload a file: fields `source`, `name`, then one part `file`',
    query: formQuery,
    streamedBody: {
      'multipart/form-data': {
        schema: {
          type: 'object',
          properties: {
            source: { $ref: '#/components/schemas/AttachmentSource', description: 'How the file was brought in.' },
            name: { type: 'string', description: 'Name of the file.' },
            file: { ...binary, description: 'The bytes.' },
          },
          required: ['file'],
        },
      },
    },
    answers: { 201: json(uploadAnswer, 'Stored; inspection follows.', 'UploadAnswer') },
    handle: (c) => store(deps, baseUrl, c, 'uploadMultipart', readForm),
  });
  addRoute(app, deps, 'uploadRaw', {
    isRepeatable: true,
    summary: 'Upload a file as the raw body',
    query: rawQuery,
    // Any type is taken; generators of clients know this one alone.
    streamedBody: {
      'application/octet-stream': { schema: { ...binary, description: 'The bytes. Any Content-Type is taken.' } },
    },
    answers: { 201: json(uploadAnswer, 'Stored; inspection follows.', 'UploadAnswer') },
    handle: (c) => store(deps, baseUrl, c, 'uploadRaw', readRaw),
  });
}
