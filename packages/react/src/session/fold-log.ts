import type { StreamedEvent } from '@attache/client';
import type { TranscriptEntry } from '@attache/contracts';

/** Unfinished text of an agent. It is replaced by an entry once it is finished. */
export type Streaming = { text: string; thought: string };

export type Log = {
  /** In the order of their seq. */
  entries: readonly TranscriptEntry[];
  /** One for each agent that is writing, by its id. */
  streaming: Readonly<Record<string, Streaming>>;
};

type EntryOf<T extends TranscriptEntry['type']> = Extract<TranscriptEntry, { type: T }>;

/** Adds entries of a page. One with a seq that is there already takes its place. */
export function addEntries(log: Log, added: readonly TranscriptEntry[]): Log {
  if (added.length === 0) return log;
  const bySeq = new Map([...log.entries, ...added].map((entry) => [entry.seq, entry]));
  const ended = added.filter(({ type }) => type === 'delivery') as EntryOf<'delivery'>[];
  const streaming = ended
    .filter(({ status }) => status !== 'written')
    .reduce((rest, { agentId }) => omit(rest, agentId), log.streaming);
  return { entries: [...bySeq.values()].sort((one, other) => one.seq - other.seq), streaming };
}

/** Adds an event of the stream: a piece of text, or what an agent finished. Other events change nothing here. */
export function addEvent(log: Log, event: StreamedEvent): Log {
  if (event.kind === 'agent.delta') return addDelta(log, event);
  if (event.kind !== 'agent.output') return log;
  const { agentId, item } = event.data;
  const { seq, at, actor } = event;
  const next = addEntries(log, [{ type: 'agent-item', seq, at, actor, ...event.data }]);
  if (item.type !== 'text' && item.type !== 'thought') return next;
  const current = log.streaming[agentId];
  return current ? { ...next, streaming: { ...log.streaming, [agentId]: { ...current, [item.type]: '' } } } : next;
}

function addDelta(log: Log, { agentId, type, text }: Extract<StreamedEvent, { kind: 'agent.delta' }>): Log {
  const current = log.streaming[agentId] ?? { text: '', thought: '' };
  return { ...log, streaming: { ...log.streaming, [agentId]: { ...current, [type]: current[type] + text } } };
}

function omit<T>(record: Readonly<Record<string, T>>, key: string): Readonly<Record<string, T>> {
  const { [key]: _, ...rest } = record;
  return rest;
}
