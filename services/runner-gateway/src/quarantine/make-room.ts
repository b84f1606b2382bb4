import { idFromUuid } from '@attache/contracts';
import { type AgentRow, appendEvents, type NewEvent, saveQuarantined } from '@attache/database';
import type { FullRequest } from '@attache/domain';
import type { OwningDeps } from '../gateway-deps.ts';
import type { TurnSlot } from '../output/turn-slot.ts';
import type { SessionKey } from '../ownership/session-ownership.ts';
import type { AgentAsides, ChosenAside } from './agent-asides.ts';

export type MakeRoom = (request: Pick<FullRequest, 'blocks' | 'sizeBytes'>) => Promise<void>;

type RoomDeps = Pick<OwningDeps, 'ownership' | 'log'>;
type Conversation = {
  session: SessionKey;
  agent: AgentRow;
  asides: Pick<AgentAsides, 'choose' | 'take'>;
  turns: Pick<TurnSlot, 'current'>;
};

/**
 * Sets the oldest pictures of an agent's conversation aside where a request of it holds more than its model takes. The database and the log have them before the
 * request goes out without them, so that the next process of the agent leaves out the same ones. Throws `OWNERSHIP_LOST` if the session has another owner.
 */
export function createRoomMaker(deps: RoomDeps, conversation: Conversation): MakeRoom {
  let last: Promise<unknown> = Promise.resolve();
  // One after another: requests at the same time would choose the same pictures.
  return (request) => {
    const made = last.then(() => makeRoom(deps, conversation, request));
    last = made.catch(() => undefined);
    return made;
  };
}

async function makeRoom(
  deps: RoomDeps,
  { session, agent, asides, turns }: Conversation,
  request: Parameters<MakeRoom>[0],
): Promise<void> {
  const turn = turns.current();
  const firstOfTurn = turn?.requests.find((seen) => seen.request?.blocks !== undefined)?.request;
  const parts = asides.choose({ ...request, earlier: turn?.earlier, firstOfTurn });
  if (parts.length === 0) return;
  const owner = { ...session, agentId: agent.id, targetVersion: agent.targetVersion };
  const events = composeEvents(agent, parts);
  const isKept = await deps.ownership.asOwner(session, async (tx) => {
    const isSaved = await saveQuarantined(tx, owner, parts);
    if (isSaved && events.length > 0) await appendEvents(tx, session.sessionId, events);
    return isSaved;
  });
  if (!isKept) return;
  asides.take(parts);
  const codes = [...new Set(parts.map(({ code }) => code))];
  deps.log.info({ agentId: idFromUuid('agent', agent.id), codes, pictures: parts.length }, 'attachment.set_aside');
}

/** One for each attachment: the pages of a document are several pictures. */
function composeEvents({ id }: AgentRow, parts: readonly ChosenAside[]): NewEvent[] {
  const actor = { type: 'service', id: 'runner-gateway' } as const;
  const reasons = new Map(
    parts.flatMap(({ attachmentId, code }) => (attachmentId ? [[attachmentId, code] as const] : [])),
  );
  return [...reasons].map(([attachmentId, reason]): NewEvent => {
    return { kind: 'attachment.set_aside', actor, data: { attachmentId, agentId: idFromUuid('agent', id), reason } };
  });
}
