import type { TranscriptEntry } from '@attache/contracts';
import { describeRecorded, type LogRecords } from './log-records.ts';
import type { EventFrame, KnownEvent, ReadEvent } from './read-event.ts';

/**
 * A session's log as a transcript: each event that is shown becomes one entry, and none depends on another, so that any part of a log can be folded
 * alone. Lazy, linear, and total: what this release cannot read is an entry that says so.
 */
export function* foldLog(events: Iterable<ReadEvent>, records: LogRecords): Generator<TranscriptEntry> {
  for (const event of events) yield toEntry(event, records);
}

function toEntry(event: ReadEvent, records: LogRecords): TranscriptEntry {
  const { seq, at, actor } = event;
  const frame: EventFrame = { seq, at, actor };
  switch (event.kind) {
    case 'unreadable': {
      const { storedKind, schemaVersion, reason } = event;
      return { seq, at, type: 'unreadable', kind: storedKind, schemaVersion, reason };
    }
    case 'session.ended':
      return { ...frame, type: 'session', change: 'ended' };
    case 'agent.added':
      return { ...frame, type: 'agent', change: 'added', ...event.data };
    case 'agent.target_changed':
      return { ...frame, type: 'agent', change: 'target-changed', agentId: event.data.agentId, target: event.data.to };
    case 'message.accepted': {
      const { attachmentIds, ...message } = event.data;
      const text = records.textOf(message.messageId);
      const attachments = attachmentIds.map((id) => describeRecorded(id, records));
      return { ...frame, type: 'message', ...message, ...(text === undefined ? {} : { text }), attachments };
    }
    case 'agent.output': {
      const { item } = event.data;
      const attachment = item.type === 'media' ? { attachment: describeRecorded(item.attachmentId, records) } : {};
      return { ...frame, type: 'agent-item', ...event.data, ...attachment };
    }
    case 'resource.viewed': {
      const { attachmentId, ...view } = event.data;
      return { ...frame, type: 'view', ...view, attachment: describeRecorded(attachmentId, records) };
    }
    case 'tool.called':
    case 'tool.blocked':
    case 'tool.completed':
      return toToolCall(frame, event);
    case 'delivery.written':
    case 'delivery.responded':
    case 'delivery.failed':
    case 'delivery.cancelled':
      return toDelivery(frame, event);
    default:
      return toAttachment(frame, event, records);
  }
}

type EventOf<P extends string> = Extract<KnownEvent, { kind: `${P}.${string}` }>;

function toToolCall(frame: EventFrame, { kind, data }: EventOf<'tool'>): TranscriptEntry {
  const { agentId, callId, tool } = data;
  const call = { ...frame, type: 'tool-call', agentId, callId, tool } as const;
  switch (kind) {
    case 'tool.called':
      return { ...call, status: 'called' };
    case 'tool.blocked':
      return { ...call, status: 'blocked', reason: data.reason };
    case 'tool.completed':
      return { ...call, status: 'completed', outcome: data.status };
    default:
      return kind satisfies never;
  }
}

function toDelivery(frame: EventFrame, { kind, data }: EventOf<'delivery'>): TranscriptEntry {
  const { deliveryId, messageId, agentId, attempt } = data;
  const delivery = { ...frame, type: 'delivery', deliveryId, messageId, agentId, attempt } as const;
  switch (kind) {
    case 'delivery.written':
      return { ...delivery, status: 'written' };
    case 'delivery.responded': {
      const { receipt, diagnostic } = data;
      return { ...delivery, status: 'responded', receipt, ...(diagnostic === undefined ? {} : { diagnostic }) };
    }
    case 'delivery.failed':
      return { ...delivery, status: 'failed', failure: data.failure };
    case 'delivery.cancelled':
      return { ...delivery, status: 'cancelled' };
    default:
      return kind satisfies never;
  }
}

function toAttachment(frame: EventFrame, { kind, data }: EventOf<'attachment'>, records: LogRecords): TranscriptEntry {
  const attachment = describeRecorded(data.attachmentId, records);
  const change = { ...frame, type: 'attachment', attachment } as const;
  switch (kind) {
    case 'attachment.added':
      return { ...change, change: 'added', origin: data.origin };
    case 'attachment.ready':
      return { ...change, change: 'ready' };
    case 'attachment.rejected':
      return { ...change, change: 'rejected' };
    case 'attachment.deleted':
      return { ...change, change: 'deleted' };
    case 'attachment.quarantined': {
      const { agentId, target, code } = data;
      return { ...change, change: 'quarantined', agentId, target, code };
    }
    case 'attachment.quarantine_ended':
      return { ...change, change: 'quarantine-ended', agentId: data.agentId };
    case 'attachment.set_aside':
      return { ...change, change: 'set-aside', agentId: data.agentId, code: data.reason };
    default:
      return kind satisfies never;
  }
}
