import {
  type Actor,
  type AttachmentId,
  type DeliveryId,
  type EventData,
  type EventKind,
  type Id,
  type IdKind,
  idFromUuid,
  type MessageId,
  type Part,
  type Target,
  type TranscriptEntry,
} from '@attache/contracts';
import { givenRequest } from '../../plan/__fixtures__/plan-fixtures.ts';
import { composeParts, referToBytes } from '../../plan/compose-parts.ts';
import { foldLog } from '../fold-log.ts';
import type { RecordedAttachment } from '../log-records.ts';
import { readLog, type StoredEvent } from '../read-event.ts';
import { type HistoryTurn, type ReplayRequest, replayLog } from '../replay-log.ts';

export const idOf = <K extends IdKind>(kind: K, number: number): Id<K> =>
  idFromUuid(kind, `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`);

const agentId = idOf('agent', 1);
export const otherAgentId = idOf('agent', 2);
export const target: Target = { profile: 'p', runtime: 'acp', provider: 'anthropic', model: 'm' };
export const takesAll = givenRequest({}).capability;
/** The same target with a model that takes no images. */
export const textOnly: typeof takesAll = { ...takesAll, image: { ...takesAll.image, model: 'no', mimeTypes: [] } };

const user: Actor = { type: 'user', id: idOf('user', 1) };
const agent: Actor = { type: 'agent', id: agentId };

type NewFile = Partial<RecordedAttachment> | undefined;

/** A log as it grows, with the rows next to it. */
export function recordLog() {
  const events: StoredEvent[] = [];
  const texts = new Map<MessageId, string>();
  const files = new Map<AttachmentId, RecordedAttachment>();
  const parts = new Map<DeliveryId, readonly Part[]>();
  const append = <K extends EventKind>(kind: K, data: EventData<K>, actor: Actor = agent) =>
    events.push({ seq: events.length + 1, at: '2026-11-25T08:00:00.000Z', actor, schemaVersion: 1, kind, data });
  const deliveryOf = (number: number) => ({
    deliveryId: idOf('delivery', number),
    messageId: idOf('message', number),
    agentId,
    attempt: 1,
  });
  return {
    ...{ events, texts, files, parts, append },
    /** A picture that someone has uploaded. */
    addFile(number: number, given: NewFile = {}) {
      const id = idOf('attachment', number);
      const sha256 = String(number % 10).repeat(64);
      const row = { name: `${number}.png`, mimeType: 'image/png', kind: 'image', sizeBytes: 9, sha256 } as const;
      files.set(id, { ...row, status: 'ready', isDeleted: false, ...given });
      return id;
    },
    send(number: number, text: string, attachmentIds: readonly AttachmentId[] = [], to = [agentId]) {
      const messageId = idOf('message', number);
      texts.set(messageId, text);
      const deliveryIds = [idOf('delivery', number)];
      append('message.accepted', { messageId, to: [...to], attachmentIds: [...attachmentIds], deliveryIds }, user);
      const known = attachmentIds.map((id) => ({ id, ...(files.get(id) as RecordedAttachment) }));
      const items = known.map(({ id }) => ({ attachmentId: id })) as never;
      const itemParts = known.map((file): Part => ({ type: 'image', bytes: referToBytes(file.id, file) }));
      parts.set(idOf('delivery', number), composeParts(text, { items }, { attachments: known as never, itemParts }));
    },
    write(number: number, given: { agentId?: typeof agentId; attempt?: number } = {}) {
      append('delivery.written', { ...deliveryOf(number), epoch: 1, ...given });
    },
    fail(number: number) {
      const failure = {
        code: 'delivery_stalled',
        severity: 'error',
        userMessage: '',
        diagnostic: '',
        retryable: true,
      } as const;
      append('delivery.failed', { ...deliveryOf(number), failure });
    },
    answer(text: string, from = agentId) {
      append('agent.output', { agentId: from, item: { type: 'text', text } });
    },
    view(attachmentId: AttachmentId, view: EventData<'resource.viewed'>['view'] = undefined) {
      append('resource.viewed', { agentId, attachmentId, ...(view ? { view } : {}) });
    },
    refuse(attachmentId: AttachmentId, by: Target = target) {
      const data = { attachmentId, agentId, target: by, code: 'image_unreadable', wireSha256: 'cd'.repeat(32) };
      append('attachment.quarantined', data, { type: 'service', id: 'runner-gateway' });
    },
    entries(count = events.length): TranscriptEntry[] {
      const records = {
        textOf: (id: MessageId) => texts.get(id),
        attachmentOf: (id: AttachmentId) => files.get(id),
      };
      return [...foldLog(readLog(events.slice(0, count)), records)];
    },
    replay(given: Partial<ReplayRequest> = {}, count = events.length): HistoryTurn[] {
      const request = { agentId, target, capability: takesAll, policy: { originals: 'none' } } as const;
      return replayLog(this.entries(count), { ...request, partsOf: (id) => parts.get(id), ...given });
    },
  };
}

/** The texts of a turn, each with its author. */
export const wordsOf = ({ pieces }: HistoryTurn): string[] =>
  pieces.map(({ from, part }) => `${from}: ${'text' in part ? part.text : `<${part.type}>`}`);
