import type {
  AgentId,
  AttachmentId,
  Capability,
  DeliveryId,
  MessageId,
  Part,
  ReplayPolicy,
  Target,
  TranscriptAttachment,
  TranscriptEntry,
} from '@attache/contracts';
import { describeGap, describeReplayed, describeView, type ReplayedState } from '../plan/describe-attachment.ts';
import { announceAttachments } from '../text/marker.ts';
import { countKept } from './count-kept.ts';
import { listTurns, type Said, type Turn } from './list-turns.ts';
import { takesPart } from './takes-part.ts';

export type ReplayRequest = {
  agentId: AgentId;
  policy: ReplayPolicy;
  /** The agent's current target, which may differ from its earlier ones. */
  target: Target;
  capability: Capability;
  /** The parts that were sent in a delivery; undefined where they are not known. */
  partsOf(deliveryId: DeliveryId): readonly Part[] | undefined;
};

/** One piece of a history, whose texts are theirs alone: no text can end its piece. `note` is ours. */
export type HistoryPiece = { from: 'user' | 'agent' | 'note'; part: Part };

export type HistoryTurn = {
  messageId?: MessageId | undefined;
  /** Whether files of its message go again as they went. */
  isKept: boolean;
  pieces: HistoryPiece[];
};

/**
 * Folds an agent's history into the turns that would be sent to begin again (SR-05): its messages and its answers, and for each file a descriptor with its
 * digest, or the original if the policy keeps it and the target takes it. Each turn stays the same to the byte until the policy, the target or the state of one
 * of its files changes it; additions to the log are appended (BX-04). All of it is for a model, and none for a client (RP-06).
 */
export function replayLog(entries: Iterable<TranscriptEntry>, request: ReplayRequest): HistoryTurn[] {
  const { turns, refused } = listTurns(entries, request.agentId, request.target);
  const messageCount = turns.filter(({ delivery }) => delivery !== undefined).length;
  const firstKept = messageCount - countKept(request.policy, messageCount);
  const first = turns[0]?.delivery === undefined ? 1 : 0;
  return turns.map((turn, index) => replayTurn(turn, { request, refused, isInPolicy: index - first >= firstKept }));
}

type Context = { request: ReplayRequest; refused: ReadonlySet<string>; isInPolicy: boolean };

function replayTurn({ delivery, said }: Turn, context: Context): HistoryTurn {
  const { message, id } = delivery ?? {};
  const answers = said.map((each) => replaySaid(each));
  if (!id) return { isKept: false, pieces: answers };
  if (!message) return { isKept: false, pieces: [note(describeGap('message')), ...answers] };
  const sent = context.isInPolicy && message.text !== undefined ? context.request.partsOf(id) : undefined;
  const asked = sent ? replaySent(message, sent, context) : describeMessage(message, context);
  const isKept = asked.some(({ part }) => part.type !== 'text' && part.type !== 'descriptor');
  return { messageId: message.messageId, isKept, pieces: [...asked, ...answers] };
}

type Message = Extract<TranscriptEntry, { type: 'message' }>;

const note = (text: string): HistoryPiece => ({ from: 'note', part: { type: 'text', text } });

/** An empty text is left out: some model APIs refuse one. */
function describeMessage({ text, attachments }: Message, { refused }: Context): HistoryPiece[] {
  const distinct = new Map(attachments.map((attachment) => [attachment.id, attachment]));
  const descriptors = [...distinct.values()].map((attachment): HistoryPiece => {
    return { from: 'user', part: describe(attachment, refused.has(attachment.id) ? 'refused' : 'sent') };
  });
  if (text === undefined) return [note(describeGap('text')), ...descriptors];
  return text === '' ? descriptors : [{ from: 'user', part: { type: 'text', text } }, ...descriptors];
}

/** The parts as they were sent, but for files that may not go again: a descriptor is in the place of each. */
function replaySent({ text = '', attachments }: Message, sent: readonly Part[], context: Context): HistoryPiece[] {
  const byId = new Map(attachments.map((attachment) => [attachment.id, attachment]));
  const replaced = new Set<AttachmentId>();
  return sent.flatMap((part, index): HistoryPiece[] => {
    if (part.type === 'text') {
      const isAnnouncing = index === 0 && attachments.some((attachment) => !isNamed(attachment));
      // The name of a file that was deleted goes with it.
      const kept = isAnnouncing ? announceAttachments(text, attachments.filter(isNamed)) : part.text;
      return kept === '' ? [] : [{ from: 'user', part: { ...part, text: kept } }];
    }
    const id = attachmentOf(part);
    const attachment = byId.get(id) ?? { id, status: 'unknown' };
    const state = stateOf(attachment, part, context);
    if (state === undefined) return [{ from: 'user', part }];
    if (replaced.has(id)) return [];
    replaced.add(id);
    return [{ from: 'user', part: describe(attachment, state) }];
  });
}

type Named = TranscriptAttachment & { name: string; mimeType: string };

const isNamed = (attachment: TranscriptAttachment): attachment is Named =>
  attachment.name !== undefined && attachment.mimeType !== undefined;

function attachmentOf(part: Exclude<Part, { type: 'text' }>): AttachmentId {
  switch (part.type) {
    case 'descriptor':
      return part.attachmentId;
    case 'pages':
      return (part.pages[0] as (typeof part.pages)[number]).attachmentId;
    case 'image':
    case 'document':
    case 'text-file':
    case 'audio':
    case 'video':
      return part.bytes.attachmentId;
    default:
      return part satisfies never;
  }
}

/** Why a part does not go as it went; undefined where it does. */
function stateOf(
  attachment: TranscriptAttachment,
  part: Part,
  { refused, request }: Context,
): ReplayedState | undefined {
  if (attachment.status === 'deleted' || attachment.status === 'unknown') return 'sent';
  if (part.type === 'descriptor') return undefined;
  if (attachment.status === 'rejected') return 'sent';
  if (refused.has(attachment.id)) return 'refused';
  return takesPart(request.capability, part) ? undefined : 'not-taken';
}

function replaySaid(said: Said): HistoryPiece {
  switch (said.type) {
    case 'answer':
      return { from: 'agent', part: { type: 'text', text: said.text } };
    case 'made':
      return { from: 'agent', part: describe(said.attachment, 'made') };
    case 'viewed': {
      const { id } = said.attachment;
      return {
        from: 'agent',
        part: { type: 'descriptor', attachmentId: id, text: describeView(said.attachment, said.view) },
      };
    }
    case 'gap':
      return note(describeGap('event'));
    default:
      return said satisfies never;
  }
}

function describe(attachment: TranscriptAttachment, state: ReplayedState): Part {
  return { type: 'descriptor', attachmentId: attachment.id, text: describeReplayed(attachment, state) };
}
