import type { AttachmentId, Capability, DeliveryId, MessageId, ReplayPolicy } from '@attache/contracts';
import { idFromUuid, uuidFromId } from '@attache/contracts';
import {
  countHistory,
  describeAgent,
  type HistoryEvent,
  type NextDelivery,
  readBroughtParts,
  readBroughtTexts,
  readHistoryEvents,
  readLoggedAttachments,
  readPermitted,
} from '@attache/database';
import {
  countLeftOut,
  countMessages,
  foldLog,
  type HistoryRoom,
  type HistoryTurn,
  listNames,
  MAX_HISTORY_CHARACTERS,
  readLog,
  replayLog,
} from '@attache/domain';
import type { OwningDeps } from '../gateway-deps.ts';
import type { SessionKey } from '../ownership/session-ownership.ts';
import { walkBack } from './walk-back.ts';

// A character has three bytes in UTF-8 at most, counted in UTF-16: there is no room for older texts.
const MAX_TEXT_BYTES = 3 * MAX_HISTORY_CHARACTERS;

/** Who gets it, with the message that comes behind it. */
export type ToldAgent = Pick<NextDelivery, 'row' | 'agent' | 'probes'> & { session: SessionKey };

export type TurnsRequest = {
  policy: ReplayPolicy;
  capability: Capability;
  room: HistoryRoom;
  /** The last event of the log that is read. */
  lastSeq: number;
};

/** The last turns of an agent, at least as many as find room; and how many messages there are in all. */
export type ReadTurns = {
  turns: HistoryTurn[];
  totalMessages: number;
  /** Uuids of the files in them that the agent may read now: of others nothing is said but their ids. */
  permitted: ReadonlySet<string>;
};

/** Reads the log backwards, until there is more than finds room or it begins. The message that is to be brought is not in it. */
export async function readTurns(
  deps: Pick<OwningDeps, 'db'>,
  told: ToldAgent,
  request: TurnsRequest,
): Promise<ReadTurns> {
  const { session, agent } = told;
  const agentId = idFromUuid('agent', agent.id);
  let events: HistoryEvent[] = [];
  let read: Pick<ReadTurns, 'turns' | 'permitted'> = { turns: [], permitted: new Set() };
  for (const { fromSeq, beforeSeq, isFirst } of walkBack(request.lastSeq)) {
    const stretch = { sessionId: session.sessionId, agentId, fromSeq, beforeSeq };
    events = [...(await deps.db.readAsTenant(session.tenantId, (tx) => readHistoryEvents(tx, stretch))), ...events];
    read = await replayEvents(deps, told, events, request);
    if (isFirst) return { ...read, totalMessages: countMessages(read.turns) };
    if (isEnough(read.turns, request.room)) break;
  }
  return { ...read, totalMessages: await deps.db.readAsTenant(session.tenantId, (tx) => countHistory(tx, agent.id)) };
}

/** Whether there is no room for older turns, and each turn that fits has its message. */
function isEnough(turns: readonly HistoryTurn[], room: HistoryRoom): boolean {
  // How many pages documents have is not known yet: as if none, so that too much is read and never too little.
  const leftOut = countLeftOut(turns, { room, pagesOf: () => 0 });
  return leftOut > 0 && turns.slice(leftOut).every(({ messageId }) => messageId !== undefined);
}

async function replayEvents(
  { db }: Pick<OwningDeps, 'db'>,
  { session, agent, row }: ToldAgent,
  stored: readonly HistoryEvent[],
  { policy, capability }: TurnsRequest,
): Promise<Pick<ReadTurns, 'turns' | 'permitted'>> {
  const current = idFromUuid('message', row.messageId);
  const events = readLog(stored);
  const { attachmentIds } = listNames(events);
  const written = events.flatMap((event) => (event.kind === 'delivery.written' ? [event.data] : []));
  // Those that wait, or are another agent's, must not take the room of those that are part of it.
  const messageIds = [...new Set(written.map(({ messageId }) => messageId))].filter((id) => id !== current);
  const place = { tenantId: session.tenantId, sessionId: session.sessionId, agentId: agent.id };
  const permitted = await readPermitted(db, place, attachmentIds.map(uuidFromId));
  const rows = await db.readAsTenant(session.tenantId, async (tx) => ({
    texts: await readBroughtTexts(tx, messageIds, {
      maxBytes: MAX_TEXT_BYTES,
      maxCharacters: MAX_HISTORY_CHARACTERS + 1,
    }),
    files: await readLoggedAttachments(tx, attachmentIds),
    parts:
      policy.originals === 'none'
        ? new Map()
        : await readBroughtParts(
            tx,
            agent.id,
            written.map(({ deliveryId }) => deliveryId),
          ),
  }));
  const records = {
    textOf: (id: MessageId) => rows.texts.get(id),
    attachmentOf(id: AttachmentId) {
      const file = rows.files.get(id);
      // The agent learns nothing of a file that it may no longer read.
      return file && (file.isDeleted || permitted.has(uuidFromId(id))) ? file : undefined;
    },
  };
  const turns = replayLog(foldLog(events, records), {
    ...{ agentId: idFromUuid('agent', agent.id), policy, capability, target: describeAgent(agent).target },
    partsOf: (id: DeliveryId) => rows.parts.get(id),
  });
  return { permitted, turns: turns.filter(({ messageId }) => messageId !== current) };
}
