import { type BusMessage, busDataSchemas, busSubjectOf, type Subject, subjects } from '@attache/contracts';
import { parseTraceCarrier, type TraceCarrier } from '@attache/telemetry';
import { headers, type Msg, type MsgHdrs } from '@nats-io/nats-core';

/** The broker carries only ids. Tenant and event id are separate from the data, which may turn out not to fit. */
type Envelope = { id: string; tenantId: string; data: unknown; attempts: number };

/** A message as the broker brought it; `message` is missing where its data does not fit the subject. */
export type Delivered = {
  tenantId: string;
  id: string;
  subject: Subject;
  data: unknown;
  /** Which emission of the outbox it is; unknown where no relay gave it its message id. */
  emission: number | undefined;
  /** Counts from 1; those before this emission are in it. */
  attempt: number;
  /** The outbox knows of this attempt already. */
  isCounted: boolean;
  trace: TraceCarrier | undefined;
  message: BusMessage | undefined;
  /** The unread payload that came with a ring besides its message. */
  head?: unknown;
};

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const VISIBLE = /^[\x20-\x7e]{1,512}$/;

const subjectOfBus = new Map(subjects.map((subject) => [busSubjectOf(subject), subject]));

export function formatEnvelope(message: Envelope): string {
  const { id, tenantId, data, attempts } = message;
  return JSON.stringify({ id, tenantId, data, attempts } satisfies Envelope);
}

const MESSAGE_ID_HEADER = 'Nats-Msg-Id';

/** The broker takes the same emission once (W6). */
export const messageIdOf = ({ id, emission }: { id: string; emission: number }): string => `${id}.${emission}`;

function readEmission(id: string, found: MsgHdrs | undefined): number | undefined {
  const messageId = found?.get(MESSAGE_ID_HEADER) ?? '';
  const emission = Number(messageId.slice(id.length + 1));
  return messageId.length > id.length + 1 && messageIdOf({ id, emission }) === messageId ? emission : undefined;
}

/** Headers with the trace context of the creation. A context that is none is left out. */
export function formatHeaders(trace: TraceCarrier | null): MsgHdrs {
  const made = headers();
  if (!trace || !parseTraceCarrier(trace)) return made;
  made.set('traceparent', trace.traceparent.trim());
  if (trace.tracestate && VISIBLE.test(trace.tracestate)) made.set('tracestate', trace.tracestate);
  return made;
}

function readTrace(found: MsgHdrs | undefined): TraceCarrier | undefined {
  const traceparent = found?.get('traceparent');
  if (!traceparent) return undefined;
  const tracestate = found?.get('tracestate');
  const trace = { traceparent, ...(tracestate ? { tracestate } : {}) };
  return parseTraceCarrier(trace) && trace;
}

function parseJson(data: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(data));
  } catch {
    return undefined;
  }
}

type Stored = { subject: string; data: Uint8Array; headers?: MsgHdrs | undefined };

/** Undefined for what no relay has published. */
export function parseStored({ subject: name, data, headers }: Stored): Delivered | undefined {
  const subject = subjectOfBus.get(name);
  const envelope = parseJson(data) as Partial<Envelope> | null | undefined;
  if (!subject || !envelope) return undefined;
  return readDelivered(subject, envelope, { emission: readEmission(String(envelope.id), headers), headers });
}

/** Reads an envelope, whether the broker or a ring brought it. Undefined if it is none. */
export function readDelivered(
  subject: Subject,
  { id = '', tenantId = '', data, attempts }: Partial<Envelope>,
  { emission, headers }: { emission: number | undefined; headers: MsgHdrs | undefined },
): Delivered | undefined {
  if (!Object.hasOwn(busDataSchemas, subject) || !UUID.test(id) || !UUID.test(tenantId)) return undefined;
  const attempt = (Number.isInteger(attempts) ? Number(attempts) : 0) + 1;
  const trace = readTrace(headers);
  const ids = busDataSchemas[subject].safeParse(data);
  const isFitting = ids.success && ids.data.tenantId === tenantId;
  const message = isFitting ? ({ id, subject, data: ids.data, trace, attempt } as BusMessage) : undefined;
  return { tenantId, id, subject, data, emission, attempt, isCounted: false, trace, message };
}

/** How often the broker brought this message, from 1. It is in the reply subject, whose first tokens depend on the server. */
export function deliveryCountOf({ reply = '' }: Pick<Msg, 'reply'>): number {
  const tokens = reply.split('.');
  return Number(tokens.length === 9 ? tokens[4] : tokens[6]);
}
