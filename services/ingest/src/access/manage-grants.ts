import { randomUUID } from 'node:crypto';
import { type CreateGrantRequest, Fault, type Grant, idFromUuid, uuidFromId } from '@attache/contracts';
import {
  appendAsCaller,
  appendEvents,
  describeGrant,
  findAgent,
  findAttachment,
  findSession,
  insertGrant,
  revokeGrant as markRevoked,
  type SessionRow,
  sessionEnded,
  type Tx,
} from '@attache/database';
import { assertRight, type Caller } from '../caller/caller.ts';
import type { IngestDeps } from '../ingest-deps.ts';
import { agentNotFound, attachmentNotFound, grantNotFound, sessionNotFound } from '../not-found.ts';
import type { Keep } from '../once/run-once.ts';

type GrantDeps = Pick<IngestDeps, 'db'>;

type Named = { sessionId: string; agentId: string; attachmentId: string };

async function holdSession(tx: Tx, sessionId: string): Promise<SessionRow> {
  const session = await findSession(tx, sessionId);
  if (!session) throw sessionNotFound();
  return session;
}

// An agent or file of another session is unknown, whatever else may be wrong with the request.
async function refuseUnknown(tx: Tx, { sessionId, agentId, attachmentId }: Named): Promise<void> {
  if (!(await findAgent(tx, sessionId, agentId))) throw agentNotFound();
  if ((await findAttachment(tx, attachmentId))?.sessionId !== sessionId) throw attachmentNotFound();
}

function readExpiry(request: CreateGrantRequest): Date | undefined {
  if (request.expiresAt === undefined) return undefined;
  const expiresAt = new Date(request.expiresAt);
  if (expiresAt.getTime() > Date.now()) return expiresAt;
  throw new Fault('INVALID_REQUEST', 'expiresAt lies in the past. Give a later time, or none.');
}

/** Grants an agent an attachment of its session. Nobody gives a right that they lack (BX-09). */
export async function createGrant(
  { db }: GrantDeps,
  caller: Caller,
  sessionId: string,
  request: CreateGrantRequest,
  keep: Keep,
): Promise<Grant> {
  const { tenantId, actor } = caller;
  const named = { sessionId, agentId: uuidFromId(request.agentId), attachmentId: uuidFromId(request.attachmentId) };
  return db.asTenant(tenantId, async (tx) => {
    const session = await holdSession(tx, sessionId);
    await refuseUnknown(tx, named);
    assertRight(caller, 'attachments:read');
    if (session.status === 'ended') throw sessionEnded();
    const expiresAt = readExpiry(request);
    const row = await insertGrant(tx, { tenantId, id: randomUUID(), ...named, rights: request.rights, expiresAt });
    const grant = describeGrant(row);
    await keep.inTransaction(tx, { grant });
    const { id: grantId, attachmentId, agentId } = grant;
    await appendAsCaller(tx, sessionId, [{ kind: 'grant.created', actor, data: { grantId, attachmentId, agentId } }]);
    return grant;
  });
}

/** Takes a grant back, also one that a message gave: from the agent's next look at the attachment on. */
export async function revokeGrant(
  { db }: GrantDeps,
  caller: Caller,
  sessionId: string,
  grantId: string,
): Promise<void> {
  const { tenantId, actor } = caller;
  await db.asTenant(tenantId, async (tx) => {
    await holdSession(tx, sessionId);
    const revoked = await markRevoked(tx, sessionId, grantId);
    if (!revoked) throw grantNotFound();
    const data = {
      grantId: idFromUuid('grant', revoked.id),
      attachmentId: idFromUuid('attachment', revoked.attachmentId),
      agentId: idFromUuid('agent', revoked.agentId),
    };
    await appendEvents(tx, sessionId, [{ kind: 'grant.revoked', actor, data }]);
  });
}
