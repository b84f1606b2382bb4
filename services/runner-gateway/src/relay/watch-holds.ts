import { uuidFromId } from '@attache/contracts';
import { noteDelivery } from '@attache/database';
import type { RelayAccess } from '@attache/model-relay';
import { recordHeldRequest } from '@attache/telemetry';
import type { OwningDeps } from '../gateway-deps.ts';
import type { RunningTurn } from '../output/output-sink.ts';
import type { SessionKey } from '../ownership/session-ownership.ts';

/** In the timeline of one delivery; a provider that never recovers would fill it. */
const MAX_NOTED_WAITS = 16;

export type HeldAgent = { session: SessionKey; api: string; currentTurn: () => RunningTurn | undefined };

/** Counts the requests of an agent that are held, and says each wait once in the timeline of the delivery whose turn it holds up. */
export function watchHolds(
  deps: Pick<OwningDeps, 'db' | 'log' | 'ownership'>,
  { session, api, currentTurn }: HeldAgent,
): NonNullable<RelayAccess['watchHold']> {
  let heldCount = 0;
  return () => {
    recordHeldRequest({ api });
    const turn = currentTurn();
    if (heldCount === 0 && turn !== undefined && turn.waitCount < MAX_NOTED_WAITS) {
      turn.waitCount += 1;
      void noteWait(deps, session, turn);
    }
    heldCount += 1;
    return () => {
      heldCount -= 1;
    };
  };
}

/** Beside the turn, which needs no timeline to continue. */
async function noteWait(
  { db, log, ownership }: Pick<OwningDeps, 'db' | 'log' | 'ownership'>,
  session: SessionKey,
  { deliveryId }: RunningTurn,
): Promise<void> {
  const actor = { type: 'service', id: 'runner-gateway' } as const;
  const code = 'attachment_provider_rate_limited';
  const note = { ...session, deliveryId: uuidFromId(deliveryId), actor, code } as const;
  try {
    await ownership.step(session, (fence) => noteDelivery(db, note, fence));
  } catch (error) {
    log.warn({ err: error, deliveryId }, 'delivery.wait_not_noted');
  }
}
