import { type createTokenRequestSchema, Fault, type Right, sessionRights, uuidFromId } from '@attache/contracts';
import {
  appendAudit,
  findSession,
  insertParticipant,
  readParticipant,
  sessionEnded,
  upsertUser,
} from '@attache/database';
import { assertMayGive, type Caller } from '../caller/caller.ts';
import { signSessionToken } from '../caller/session-token.ts';
import type { IngestDeps } from '../ingest-deps.ts';
import { sessionNotFound } from '../not-found.ts';
import type { Keep } from '../once/run-once.ts';

export type CreateTokenRequest = (typeof createTokenRequestSchema)['_output'];
export type CreatedToken = { token: string; expiresAt: string };

function refuseForeignRights(rights: readonly Right[], allowed: readonly Right[], why: string): void {
  const beyond = rights.filter((right) => !allowed.includes(right));
  if (beyond.length > 0) throw new Fault('FORBIDDEN', `${why}: ${beyond.join(', ')}.`);
}

/**
 * Makes a token for one participant of one session. A user who is not yet a participant becomes one, with these rights. Nobody gives a
 * right that they lack (BX-09).
 */
export async function createToken(
  deps: Pick<IngestDeps, 'db' | 'signingKeys'>,
  caller: Caller,
  sessionId: string,
  request: CreateTokenRequest,
  keep: Keep,
): Promise<CreatedToken> {
  const { tenantId, actor } = caller;
  const rights = [...new Set(request.rights)];
  refuseForeignRights(rights, sessionRights, 'A session token cannot hold these rights');
  assertMayGive(caller, rights);
  return deps.db.asTenant(tenantId, async (tx) => {
    const session = await findSession(tx, sessionId);
    if (!session) throw sessionNotFound();
    if (session.status === 'ended') throw sessionEnded();
    const userId = await upsertUser(tx, { tenantId, externalUserId: request.externalUserId });
    await insertParticipant(tx, { tenantId, sessionId, userId, rights });
    const present = await readParticipant(tx, sessionId, userId);
    if (!present) throw new Error('a participant is not there after its insert');
    refuseForeignRights(rights, present.rights, 'The participant does not have these rights in the session');
    const expiresAt = Math.floor(Date.now() / 1000) + request.ttlSeconds;
    const token = signSessionToken(deps.signingKeys, {
      ...{ tenantId, sessionId, userId, rights, expiresAt },
      sessionGeneration: session.tokenGeneration,
      participantGeneration: present.tokenGeneration,
      keyId: actor.type === 'key' ? uuidFromId(actor.id) : undefined,
    });
    const created = { token, expiresAt: new Date(expiresAt * 1000).toISOString() };
    await appendAudit(tx, { tenantId, actor, action: 'token.created', subjectId: userId, data: { sessionId } });
    await keep.inTransaction(tx, created);
    return created;
  });
}
