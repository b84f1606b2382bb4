import { appendEvents } from '@attache/database';
import type { OwningDeps } from '../gateway-deps.ts';
import type { SessionKey } from '../ownership/session-ownership.ts';
import type { Rebuilt } from './bring-history.ts';

/** Records that an agent gets its history, right before its first byte. */
export async function noteRebuilt(
  { ownership }: Pick<OwningDeps, 'ownership'>,
  { session }: { session: SessionKey },
  data: Rebuilt,
): Promise<void> {
  const actor = { type: 'service', id: 'runner-gateway' } as const;
  await ownership.asOwner(session, (tx) =>
    appendEvents(tx, session.sessionId, [{ kind: 'agent.rebuilt', actor, data }]),
  );
}
