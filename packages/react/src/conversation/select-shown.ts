import type { TranscriptEntry } from '@attache/contracts';

type EntryOf<T extends TranscriptEntry['type']> = Extract<TranscriptEntry, { type: T }>;

/** Steps that a later entry of the same call or delivery tells better are left out. */
export function selectShown(entries: readonly TranscriptEntry[]): readonly TranscriptEntry[] {
  const begun = new Map<string, number>();
  const last = new Map<string, TranscriptEntry>();
  for (const entry of entries) {
    const identity = identityOf(entry, begun);
    // It moves to the place of the newest step.
    last.delete(identity);
    last.set(identity, entry);
  }
  return [...last.values()].filter(isShown);
}

/** Each turn of a program may count its calls from one. `begun`: the entries with which calls began, for those that name no delivery. */
function identityOf(entry: TranscriptEntry, begun: Map<string, number>): string {
  if (entry.type === 'tool-call') {
    const call = `${entry.agentId} ${entry.callId}`;
    if (entry.status === 'called') begun.set(call, entry.seq);
    return `${call} ${begun.get(call)}`;
  }
  if (entry.type === 'agent-item' && entry.item.type === 'tool-call')
    return `${entry.agentId} ${entry.deliveryId} ${entry.item.callId}`;
  return entry.type === 'delivery' ? entry.deliveryId : String(entry.seq);
}

function isShown(entry: TranscriptEntry): boolean {
  if (entry.type === 'attachment') return entry.change === 'rejected' || isToolOutput(entry);
  if (entry.type === 'agent-item') return entry.item.type !== 'usage';
  return entry.type !== 'agent';
}

// Media of an agent's own words are an item of their own.
const isToolOutput = ({ change, origin }: EntryOf<'attachment'>) => change === 'added' && origin === 'tool-output';
