import { timingSafeEqual } from 'node:crypto';
import { Readable } from 'node:stream';
import { BlobNotFoundError, parseBlobKey } from '@attache/blob-store';
import { Fault, idFromUuid } from '@attache/contracts';
import { isTenantActive, readAttachments, readGrantedAttachments } from '@attache/database';
import { DEFAULT_URL_LIFETIME_SECONDS, expiryOf, guardSlowStream, readChunks, signRawUrl } from '@attache/intake';
import { currentTraceId, markFailed, recordRequest, withSpan } from '@attache/telemetry';
import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import type { OwningDeps } from '../gateway-deps.ts';
import { handOutFile } from '../granted/hand-out-file.ts';
import { protocolError } from '../granted/protocol-error.ts';
import {
  type Described,
  describeGranted,
  type Granted,
  logView,
  notFound,
  readGrantedBytes,
} from '../granted/read-granted.ts';
import type { SocketOwner } from '../granted/socket-owner.ts';
import { storeOutput } from '../granted/store-output.ts';
import { createMcpApp } from '../mcp/mcp-app.ts';

/** Ends with the grant in any case; a copy that reached somebody else ends soon. */
const GRANTED_URL_SECONDS = 15 * 60;

type AgentContext = Context<{ Bindings: HttpBindings }>;

function assertToken(c: AgentContext, token: string): void {
  const given = Buffer.from(c.req.header('authorization') ?? '');
  const expected = Buffer.from(`Bearer ${token}`);
  if (given.length === expected.length && timingSafeEqual(given, expected)) return;
  throw new Fault('UNAUTHENTICATED', 'The agent token is missing or is not the one of this agent.');
}

// The token was made before the suspension: nothing of the tenant is read or stored by it while that lasts.
async function refuseSuspended(deps: OwningDeps, owner: SocketOwner): Promise<void> {
  if (await isTenantActive(deps.db, owner.session.tenantId)) return;
  throw new Fault('UNAUTHENTICATED', 'The agent token is not accepted now.');
}

const findBytes = (deps: OwningDeps, owner: SocketOwner, c: AgentContext): Promise<Granted> =>
  readGrantedBytes(deps, owner, c.req.param('id') ?? '', c.req.query('variant'));

// A file that the agent made itself has a URL that lives as long as an upload's. The URL of a file that it was granted ends with the grant.
function displayUrlOf(deps: OwningDeps, owner: SocketOwner, described: Described): string {
  const { signingKeys, baseUrl } = deps.intake;
  const { attachment, uploadedBy, generation, tenantGeneration } = described;
  const agentId = idFromUuid('agent', owner.agentId);
  const isOwn = uploadedBy === agentId;
  const expiresAt = expiryOf(isOwn ? DEFAULT_URL_LIFETIME_SECONDS : GRANTED_URL_SECONDS, Date.now() / 1000);
  const claims = { attachmentId: attachment.id, expiresAt, generation, tenantGeneration };
  return signRawUrl(signingKeys, baseUrl(), owner.session.tenantId, isOwn ? claims : { ...claims, agentId });
}

async function listGranted(deps: OwningDeps, owner: SocketOwner, c: AgentContext): Promise<Response> {
  const items = await deps.ownership.asOwner(owner.session, async (tx) =>
    readAttachments(tx, await readGrantedAttachments(tx, owner.agentId)),
  );
  return c.json({ items: items.map(({ attachment }) => attachment) });
}

// The URL gives bytes too: there is none if an agent gets none.
async function describe(deps: OwningDeps, owner: SocketOwner, c: AgentContext): Promise<Response> {
  const described = await describeGranted(deps, owner, c.req.param('id') ?? '');
  const { attachment } = described;
  if (attachment.status !== 'ready') return c.json({ attachment });
  return c.json({ attachment, displayUrl: displayUrlOf(deps, owner, described) });
}

async function sendBytes(deps: OwningDeps, owner: SocketOwner, c: AgentContext): Promise<Response> {
  const granted = await findBytes(deps, owner, c);
  await logView(deps, owner, granted);
  const stream = await deps.blobs.get(parseBlobKey(granted.key));
  const headers = { 'content-type': granted.mimeType, 'content-length': String(granted.sizeBytes) };
  return new Response(Readable.toWeb(stream) as ReadableStream, { headers });
}

async function putFile(deps: OwningDeps, owner: SocketOwner, c: AgentContext): Promise<Response> {
  return c.json({ path: await handOutFile(deps, owner, await findBytes(deps, owner, c)) });
}

async function takeOutput(deps: OwningDeps, owner: SocketOwner, c: AgentContext): Promise<Response> {
  const length = c.req.header('content-length');
  const output = await storeOutput(deps, owner, {
    stream: guardSlowStream(readChunks(c.env.incoming)),
    sizeBytes: length === undefined ? undefined : Number(length),
    name: c.req.query('name'),
    declaredMimeType: c.req.header('content-type'),
  });
  return c.json(output, 201);
}

type Handle = (c: AgentContext) => Promise<Response>;

/** Makes a handler of a route: it sees only calls with the token of its agent, and its errors become answers. */
function createRoute(deps: OwningDeps, owner: SocketOwner): (name: string, handle: Handle) => Handle {
  return (name, handle) => async (c) => {
    const traceparent = c.req.header('traceparent');
    // The trace context of a turn was given to this very child, so it may be the parent.
    const parent = traceparent === undefined ? 'root' : { traceparent };
    const attributes = { 'gen_ai.agent.id': idFromUuid('agent', owner.agentId) };
    const startedAt = performance.now();
    let code: string | undefined;
    const response = await withSpan({ name, kind: 'server', parent, attributes }, async (span) => {
      try {
        assertToken(c, owner.token);
        await deps.pace(owner);
        await refuseSuspended(deps, owner);
        return await handle(c);
      } catch (thrown) {
        const error = thrown instanceof BlobNotFoundError ? notFound() : thrown;
        if (!(error instanceof Fault)) deps.log.error({ err: error }, 'agent_request.failed');
        code = error instanceof Fault ? error.code : 'INTERNAL';
        markFailed(span, error);
        return protocolError(error, currentTraceId());
      }
    });
    const durationMs = performance.now() - startedAt;
    recordRequest({
      route: name.slice(name.indexOf('/')),
      method: c.req.method,
      status: response.status,
      durationMs,
      code,
    });
    return response;
  };
}

/** The routes of a child: only for its own agent, only with its own token, and only while this gateway owns the session. */
export function createAgentApp(deps: OwningDeps, owner: SocketOwner): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>();
  const mcp = createMcpApp(deps, owner);
  const route = createRoute(deps, owner);
  app.get(
    '/agent/attachments',
    route('GET /agent/attachments', (c) => listGranted(deps, owner, c)),
  );
  app.get(
    '/agent/attachments/:id',
    route('GET /agent/attachments/{id}', (c) => describe(deps, owner, c)),
  );
  app.get(
    '/agent/attachments/:id/bytes',
    route('GET /agent/attachments/{id}/bytes', (c) => sendBytes(deps, owner, c)),
  );
  app.post(
    '/agent/attachments/:id/file',
    route('POST /agent/attachments/{id}/file', (c) => putFile(deps, owner, c)),
  );
  app.post(
    '/agent/outputs',
    route('POST /agent/outputs', (c) => takeOutput(deps, owner, c)),
  );
  app.post(
    '/agent/mcp',
    route('POST /agent/mcp', (c) => mcp.answer({ body: c.env.incoming, signal: c.req.raw.signal })),
  );
  app.notFound((c) => protocolError(new Fault('ROUTE_NOT_FOUND', `There is no ${c.req.path}.`), currentTraceId()));
  return app;
}
