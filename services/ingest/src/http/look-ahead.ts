import type { IncomingMessage } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type IdKind, isId, type RouteName, uuidFromId } from '@attache/contracts';
import type { LookAhead, NamedIds } from '@attache/database';
import type { Context } from 'hono';
import type { HttpEnv } from './context.ts';

/** The first thing that a route reads of the session in its path. */
const readsFirst: Partial<Record<RouteName, LookAhead['of']>> = {
  uploadMultipart: 'upload',
  uploadRaw: 'upload',
  readPolicy: 'upload',
  listEvents: 'log',
  readTranscript: 'log',
  createEventTicket: 'log',
  planMessage: 'message',
  sendMessage: 'message',
};

/** The rows that the look-up of a credential may return as well, so that the route needs no look-up of its own. */
export async function lookAheadOf(c: Context<HttpEnv>, name: RouteName): Promise<LookAhead | undefined> {
  const of = readsFirst[name];
  const id = c.req.param('sessionId');
  if (of === undefined || id === undefined || !isId('session', id)) return undefined;
  const sessionId = uuidFromId(id);
  if (of !== 'message') return { of, sessionId };
  const named = readNamedIds(await peekBody(c.env.incoming));
  return named && { of, sessionId, named: { sessionId, ...named } };
}

/** The limit of a body that is parsed before its sender is known. */
const MAX_PEEKED_BYTES = 16 * 1024;

/** A short body of known length that came with the headers, left in place. One that comes later is not waited for: its sender is not known yet. */
async function peekBody(incoming: IncomingMessage): Promise<Buffer | undefined> {
  const sizeBytes = Number(incoming.headers['content-length']);
  if (!(sizeBytes > 0 && sizeBytes <= MAX_PEEKED_BYTES) || incoming.headers.expect !== undefined) return undefined;
  // The parser hands out the headers before the body.
  await nextTurn();
  if (incoming.readableLength < sizeBytes) return undefined;
  const bytes: Buffer | null = incoming.read();
  if (bytes) incoming.unshift(bytes);
  return bytes ?? undefined;
}

/** The ids in the body of a message. Undefined for a body that is refused later or has files in it. */
function readNamedIds(body: Buffer | undefined): Omit<NamedIds, 'sessionId'> | undefined {
  if (body === undefined) return undefined;
  try {
    const { to, attachmentIds = [], attachments = [] } = JSON.parse(body.toString());
    // Files inside the message become attachments first.
    if (!Array.isArray(attachments) || attachments.length > 0) return undefined;
    return { agentIds: toUuids('agent', to), attachmentIds: toUuids('attachment', attachmentIds) };
  } catch {
    return undefined;
  }
}

/** Each once, in their order. Throws on a value that is no list of such ids. */
function toUuids(kind: IdKind, ids: unknown): string[] {
  if (!Array.isArray(ids) || !ids.every((id) => typeof id === 'string' && isId(kind, id))) throw new Error('no ids');
  return [...new Set(ids.map((id) => uuidFromId(id)))];
}
