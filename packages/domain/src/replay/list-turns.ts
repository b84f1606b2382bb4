import type {
  AgentId,
  DeliveryId,
  MessageId,
  ResourceView,
  Target,
  TranscriptAttachment,
  TranscriptEntry,
} from '@attache/contracts';

type EntryOf<T extends TranscriptEntry['type']> = Extract<TranscriptEntry, { type: T }>;

/** Something that came after the message of a turn, in the order of the log. `gap`: one event or more that cannot be read. */
export type Said =
  | { type: 'answer'; text: string }
  | { type: 'made'; attachment: TranscriptAttachment }
  | { type: 'viewed'; attachment: TranscriptAttachment; view: ResourceView | undefined }
  | { type: 'gap' };

/** A message that was written to an agent, and what came of it; `message` is undefined where it cannot be read. */
export type Turn = {
  /** Undefined for output of the agent before any message. */
  delivery?: { id: DeliveryId; message: EntryOf<'message'> | undefined } | undefined;
  said: Said[];
};

export type AgentTurns = {
  turns: Turn[];
  /** Files that the target's model has refused, and would not get again. */
  refused: ReadonlySet<string>;
};

/**
 * One agent's part of a transcript as turns. Each begins where its message was written, so that what an agent never got is in none, and what
 * is added to a log is added behind. A message that is written again right away has one turn.
 */
export function listTurns(entries: Iterable<TranscriptEntry>, agentId: AgentId, target: Target): AgentTurns {
  const messages = new Map<MessageId, EntryOf<'message'>>();
  const refused = new Set<string>();
  const turns: Turn[] = [];
  const say = (said: Said) => {
    const turn = turns.at(-1) ?? { said: [] };
    if (turns.length === 0) turns.push(turn);
    if (said.type !== 'gap' || turn.said.at(-1)?.type !== 'gap') turn.said.push(said);
  };
  for (const entry of entries) {
    switch (entry.type) {
      case 'message':
        if (entry.to.includes(agentId)) messages.set(entry.messageId, entry);
        break;
      case 'delivery':
        if (entry.agentId !== agentId || entry.status !== 'written') break;
        if (turns.at(-1)?.delivery?.id === entry.deliveryId) break;
        turns.push({ delivery: { id: entry.deliveryId, message: messages.get(entry.messageId) }, said: [] });
        break;
      case 'attachment':
        noteRefusal(refused, entry, agentId, target);
        if (isMadeBy(entry, agentId)) say({ type: 'made', attachment: entry.attachment });
        break;
      case 'agent-item':
      case 'view':
      case 'unreadable': {
        const said = entry.type === 'unreadable' || entry.agentId === agentId ? saidIn(entry) : undefined;
        if (said) say(said);
        break;
      }
      case 'tool-call':
      case 'agent':
      case 'session':
        break;
      default:
        entry satisfies never;
    }
  }
  return { turns, refused };
}

/** Thoughts, tool calls and counts are not repeated. */
function saidIn(entry: EntryOf<'agent-item' | 'view' | 'unreadable'>): Said | undefined {
  if (entry.type === 'unreadable') return { type: 'gap' };
  if (entry.type === 'view') return { type: 'viewed', attachment: entry.attachment, view: entry.view };
  if (entry.item.type === 'text') return { type: 'answer', text: entry.item.text };
  return entry.attachment && { type: 'made', attachment: entry.attachment };
}

/** A file taken from the agent's text is in that text as a marker; a file from a tool is an item of its own. */
const isMadeBy = ({ change, actor, origin }: EntryOf<'attachment'>, agentId: AgentId): boolean =>
  change === 'added' && origin === 'tool-output' && actor.type === 'agent' && actor.id === agentId;

function noteRefusal(refused: Set<string>, entry: EntryOf<'attachment'>, agentId: AgentId, target: Target): void {
  if (entry.agentId !== agentId) return;
  if (entry.change === 'quarantine-ended') refused.delete(entry.attachment.id);
  if (entry.change === 'quarantined' && entry.target && isSame(entry.target, target)) refused.add(entry.attachment.id);
}

const isSame = (one: Target, other: Target): boolean =>
  (['profile', 'runtime', 'provider', 'model'] as const).every((name) => one[name] === other[name]);
