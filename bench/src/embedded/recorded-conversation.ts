import {
  type AttachmentId,
  type EventData,
  type EventKind,
  type Id,
  type IdKind,
  idFromUuid,
  type MessageId,
  SCHEMA_VERSION,
  type SessionEvent,
  type TranscriptEntry,
} from '@attache/contracts';
import {
  foldLog,
  type HistoryTurn,
  type LogRecords,
  type RecordedAttachment,
  type ReplayRequest,
  readEvent,
  replayLog,
  type StoredEvent,
} from '@attache/domain';

// A session's log as a database returns it, with the rows that belong to it: each fourth message names a picture.

const EVENTS_PER_TURN = 4;
const TURNS_PER_PICTURE = 4;
const QUESTION = 'What do the figures of this week say of the week before, and what is missing in them? '.repeat(2);
const ANSWER = 'The figures rise by a third; those of the last two days are missing in all of the tables. '.repeat(3);

const idOf = <K extends IdKind>(kind: K, number: number): Id<K> =>
  idFromUuid(kind, `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`);

const agentId = idOf('agent', 1);
const picture: RecordedAttachment = {
  ...{ name: 'Figures "final".png', mimeType: 'image/png', kind: 'image', sizeBytes: 200_000 },
  ...{ sha256: 'ab'.repeat(32), status: 'ready', isDeleted: false },
};

export type RecordedConversation = {
  /** Each event as its own JSON. */
  lines: string[];
  events: StoredEvent[];
  records: LogRecords;
};

/** A log of this many events, which is a multiple of four. */
export function recordConversation(eventCount: number): RecordedConversation {
  const events: StoredEvent[] = [];
  for (let turn = 1; turn <= eventCount / EVENTS_PER_TURN; turn += 1) appendTurn(events, turn);
  const texts = new Map<MessageId, string>();
  const pictures = new Map<AttachmentId, RecordedAttachment>();
  for (let turn = 1; turn <= eventCount / EVENTS_PER_TURN; turn += 1) {
    texts.set(idOf('message', turn), QUESTION);
    if (turn % TURNS_PER_PICTURE === 0) pictures.set(idOf('attachment', turn), picture);
  }
  return {
    lines: events.map((event) => JSON.stringify(event)),
    events,
    records: { textOf: (id) => texts.get(id), attachmentOf: (id) => pictures.get(id) },
  };
}

function appendTurn(events: StoredEvent[], turn: number): void {
  const append = <K extends EventKind>(kind: K, data: EventData<K>, actor: SessionEvent['actor']) =>
    events.push({
      ...{ seq: events.length + 1, at: '2026-11-25T08:00:00.000Z', schemaVersion: SCHEMA_VERSION },
      ...{ actor, kind, data },
    });
  const [messageId, deliveryId] = [idOf('message', turn), idOf('delivery', turn)];
  const attachmentIds = turn % TURNS_PER_PICTURE === 0 ? [idOf('attachment', turn)] : [];
  const user = { type: 'user', id: idOf('user', 1) } as const;
  const agent = { type: 'agent', id: agentId } as const;
  const delivery = { deliveryId, messageId, agentId, attempt: 1 };
  append('message.accepted', { messageId, to: [agentId], attachmentIds, deliveryIds: [deliveryId] }, user);
  append('delivery.written', { ...delivery, epoch: 1 }, agent);
  append('agent.output', { agentId, deliveryId, item: { type: 'text', text: ANSWER } }, agent);
  append('agent.output', { agentId, deliveryId, item: { type: 'thought', text: ANSWER } }, agent);
}

export const foldConversation = ({ events, records }: RecordedConversation): TranscriptEntry[] => [
  ...foldLog(
    events.flatMap((event) => readEvent(event) ?? []),
    records,
  ),
];

/** The history as descriptors: the parts of a delivery are rows, which another measurement reads. */
export function replayConversation(
  entries: readonly TranscriptEntry[],
  given: Pick<ReplayRequest, 'target' | 'capability'>,
): HistoryTurn[] {
  return replayLog(entries, { agentId, policy: { originals: 'none' }, partsOf: () => undefined, ...given });
}

/** Fails if an entry or a turn is missing, so that no empty work is timed. */
export function checkReplay(eventCount: number, entries: readonly TranscriptEntry[], turns: readonly HistoryTurn[]) {
  if (entries.length !== eventCount) throw new Error(`${eventCount} events became ${entries.length} entries.`);
  if (entries.some(({ type }) => type === 'unreadable')) throw new Error('An event could not be read.');
  if (turns.length !== eventCount / EVENTS_PER_TURN) throw new Error(`The history has ${turns.length} turns.`);
}
