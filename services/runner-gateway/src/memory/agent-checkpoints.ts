import { within } from '@attache/agent-process/within';
import { idFromUuid } from '@attache/contracts';
import { appendEvents } from '@attache/database';
import {
  type CheckpointDeps,
  describeCheckpoint,
  keepMemory,
  type MemoryOwner,
  type Refused,
  type TakenCheckpoint,
} from './keep-memory.ts';
import { type KeptMemory, nothingKept } from './kept-memory.ts';

/** Some programs report the end of a turn before they have written it to their transcript. */
const SETTLE_MS = 1_500;
const FINISH_WITHIN_MS = 5_000;
/** After a store or a database that did not answer. */
const RETRY_MS = 30_000;

/** Keeps the memory of one agent's process after its turns, behind its answers. */
export type AgentCheckpoints = {
  /** The first byte of a delivery (uuid) is about to be written. */
  begin(deliveryId: string): void;
  /** No turn runs any more. */
  rest(): void;
  /** Takes a waiting checkpoint at once, within a few seconds; before the process is stopped. Afterwards none is taken. */
  finish(): Promise<void>;
  /** Takes none any more. */
  cancel(): void;
};

type Options = { settleMs?: number; retryMs?: number; kept?: KeptMemory | undefined };

export function createCheckpoints(
  deps: CheckpointDeps,
  owner: MemoryOwner,
  { settleMs = SETTLE_MS, retryMs = RETRY_MS, kept = nothingKept }: Options = {},
): AgentCheckpoints {
  const take = createTaker(deps, owner, kept);
  /** The last message that was brought, and the one up to which memory is kept. */
  let brought: string | undefined;
  let keptUpTo: string | undefined;
  let isResting = true;
  let isEnded = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;

  const due = () => (isResting && brought !== keptUpTo ? brought : undefined);
  const takeDue = async (deliveryId: string) => {
    const outcome = await take(deliveryId, () => isResting && brought === deliveryId);
    running = undefined;
    if (outcome === 'kept') keptUpTo = deliveryId;
    if (due() === undefined) return;
    // A turn that ended meanwhile has one of its own.
    if (due() !== deliveryId) wait(settleMs);
    else if (outcome === 'failed') wait(retryMs);
  };
  const run = (): Promise<void> => {
    const deliveryId = due();
    if (deliveryId !== undefined) running ??= takeDue(deliveryId);
    return running ?? Promise.resolve();
  };
  function wait(delayMs: number): void {
    clearTimeout(timer);
    if (!isEnded) timer = setTimeout(run, delayMs).unref();
  }
  const end = () => {
    isEnded = true;
    clearTimeout(timer);
  };
  return {
    begin(deliveryId) {
      brought = deliveryId;
      isResting = false;
      clearTimeout(timer);
    },
    rest() {
      if (isResting || isEnded) return;
      isResting = true;
      wait(settleMs);
    },
    async finish() {
      end();
      await within((running ?? Promise.resolve()).then(run), FINISH_WITHIN_MS);
    },
    cancel() {
      end();
      isResting = false;
    },
  };
}

/** Takes one checkpoint after the other, each on top of the one before; never rejects. `failed`: the store or the database did not answer. */
function createTaker(deps: CheckpointDeps, owner: MemoryOwner, first: KeptMemory) {
  let kept = first;
  const told = new Set<Refused>();
  return async (deliveryId: string, isStill: () => boolean): Promise<TakenCheckpoint['outcome'] | 'failed'> => {
    try {
      const taken = await keepMemory(deps, owner, { deliveryId, isStill, kept });
      if (taken.outcome === 'kept') kept = taken.kept;
      if (taken.outcome === 'refused' && !told.has(taken.why)) {
        told.add(taken.why);
        await tellRefusal(deps, owner, deliveryId, taken.why);
      }
      return taken.outcome;
    } catch (error) {
      deps.log.warn({ err: error, agentId: agentIdOf(owner) }, 'agent.checkpoint_not_kept');
      return 'failed';
    }
  };
}

const agentIdOf = ({ row }: MemoryOwner) => idFromUuid('agent', row.id);

async function tellRefusal(
  deps: CheckpointDeps,
  owner: MemoryOwner,
  deliveryId: string,
  refused: Refused,
): Promise<void> {
  deps.log.warn({ agentId: agentIdOf(owner), refused }, 'agent.checkpoint_refused');
  const facts = { deliveryId, files: 0, sizeBytes: 0, storedBytes: 0, refused };
  const event = describeCheckpoint(owner.row, facts);
  await deps.ownership.asOwner(owner.session, (tx) => appendEvents(tx, owner.session.sessionId, [event]));
}
