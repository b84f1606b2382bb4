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
  type Tx,
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

const FIRST_EVENTS = 500;
/** What is looked at of a log at most: what is further back is counted, and not told. */
const MAX_EVENTS = 64_000;
// A character has three bytes in UTF-8 at most, counted in UTF-16: what is older than these finds no room.
const MAX_TEXT_BYTES = 3 * MAX_HISTORY_CHARACTERS;

/** Whom it is told, with the message that comes behind it. */
export type ToldAgent = Pick<NextDelivery, 'row' | 'agent' | 'probes'> & { session: SessionKey };

export type TurnsRequest = { policy: ReplayPolicy; capability: Capability; room: HistoryRoom };

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
  const { session, agent, row } = told;
  const agentId = idFromUuid('agent', agent.id);
  const current = idFromUuid('message', row.messageId);
  let events: HistoryEvent[] = [];
  for (let limit = FIRST_EVENTS; ; limit = events.length) {
    const page = { sessionId: session.sessionId, agentId, beforeSeq: events[0]?.seq, limit };
    const older = await deps.db.readAsTenant(session.tenantId, (tx) => readHistoryEvents(tx, page));
    events = [...older, ...events];
    const { turns: all, permitted } = await replayEvents(deps, told, events, request);
    const turns = all.filter(({ messageId }) => messageId !== current);
    if (older.length < limit) return { turns, permitted, totalMessages: countMessages(turns) };
    if (isEnough(turns, request.room) || events.length >= MAX_EVENTS) {
      const count = (tx: Tx) => countHistory(tx, agent.id);
      return { turns, permitted, totalMessages: await deps.db.readAsTenant(session.tenantId, count) };
    }
  }
}

/** Whether what is further back finds no room, and each of those that do has its message. */
function isEnough(turns: readonly HistoryTurn[], room: HistoryRoom): boolean {
  const leftOut = countLeftOut(turns, { room, pagesOf: () => undefined });
  return leftOut > 0 && turns.slice(leftOut).every(({ messageId }) => messageId !== undefined);
}

async function replayEvents(
  { db }: Pick<OwningDeps, 'db'>,
  { session, agent }: ToldAgent,
  stored: readonly HistoryEvent[],
  { policy, capability }: TurnsRequest,
): Promise<Pick<ReadTurns, 'turns' | 'permitted'>> {
  const events = readLog(stored);
  const { messageIds, attachmentIds } = listNames(events);
  const written = events.flatMap((event) => (event.kind === 'delivery.written' ? [event.data.deliveryId] : []));
  const place = { tenantId: session.tenantId, sessionId: session.sessionId, agentId: agent.id };
  const permitted = await readPermitted(db, place, attachmentIds.map(uuidFromId));
  const rows = await db.readAsTenant(session.tenantId, async (tx) => ({
    texts: await readBroughtTexts(tx, messageIds, {
      maxBytes: MAX_TEXT_BYTES,
      maxCharacters: MAX_HISTORY_CHARACTERS + 1,
    }),
    files: await readLoggedAttachments(tx, attachmentIds),
    parts: policy.originals === 'none' ? new Map() : await readBroughtParts(tx, agent.id, written),
  }));
  const records = {
    textOf: (id: MessageId) => rows.texts.get(id),
    attachmentOf(id: AttachmentId) {
      const file = rows.files.get(id);
      // What it may not read any more it is not told of.
      return file && (file.isDeleted || permitted.has(uuidFromId(id))) ? file : undefined;
    },
  };
  const turns = replayLog(foldLog(events, records), {
    ...{ agentId: idFromUuid('agent', agent.id), policy, capability, target: describeAgent(agent).target },
    partsOf: (id: DeliveryId) => rows.parts.get(id),
  });
  return { turns, permitted };
}
