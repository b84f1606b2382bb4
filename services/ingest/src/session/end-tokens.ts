import type { EndTokensRequest } from '@attache/contracts';
import { appendAudit, findSession, raiseTokenGeneration } from '@attache/database';
import type { Caller } from '../caller/caller.ts';
import type { IngestDeps } from '../ingest-deps.ts';
import { sessionNotFound } from '../not-found.ts';

/**
 * Ends the tokens of a session, or of one participant: those that were made before, from their next request on. A user who takes no part has
 * none. Also in a session that has ended, whose tokens may still read.
 */
export async function endTokens(
  { db }: Pick<IngestDeps, 'db'>,
  { tenantId, actor }: Caller,
  sessionId: string,
  { externalUserId }: EndTokensRequest,
): Promise<void> {
  await db.asTenant(tenantId, async (tx) => {
    if (!(await findSession(tx, sessionId))) throw sessionNotFound();
    await raiseTokenGeneration(tx, sessionId, externalUserId);
    const data = { sessionId, of: externalUserId === undefined ? 'session' : 'participant' };
    await appendAudit(tx, { tenantId, actor, action: 'tokens.ended', data });
  });
}
