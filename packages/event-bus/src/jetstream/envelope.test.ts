import { randomUUID } from 'node:crypto';
import { busSubjectOf } from '@attache/contracts';
import { describe, expect, it } from 'vitest';
import { deliveryCountOf, formatEnvelope, formatHeaders, messageIdOf, parseStored } from './envelope.ts';

const tenantId = randomUUID();
const data = { tenantId, sessionId: randomUUID() };
const trace = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, tracestate: 'vendor=1' };
const encode = (text: string) => new TextEncoder().encode(text);

function pack(given: { id?: string; tenantId?: string; data?: unknown } = {}) {
  const envelope = { id: randomUUID(), tenantId, data, attempts: 2, ...given };
  return { envelope, stored: { subject: busSubjectOf('session.ended'), data: encode(formatEnvelope(envelope)) } };
}

describe('a message on the broker', () => {
  it('comes out as it went in, with its trace', () => {
    const { envelope, stored } = pack();
    expect(parseStored({ ...stored, headers: formatHeaders(trace) })?.message).toEqual({
      ...{ id: envelope.id, subject: 'session.ended', data, trace, attempt: 3 },
    });
  });

  it('names tenant and event also where its data does not fit, or is that of another tenant [W10 S28]', () => {
    for (const unfit of [{ tenantId, sessionId: '*.>' }, { ...data, tenantId: randomUUID() }, null]) {
      const { envelope, stored } = pack({ data: unfit });
      expect(parseStored(stored)).toMatchObject({ tenantId, id: envelope.id, message: undefined });
    }
  });

  it('says which emission it is, where a relay gave it its message id [W6]', () => {
    const { envelope, stored } = pack();
    const withId = (messageId: string) => {
      const made = formatHeaders(trace);
      made.set('Nats-Msg-Id', messageId);
      return parseStored({ ...stored, headers: made })?.emission;
    };
    expect(withId(messageIdOf({ id: envelope.id, emission: 12 }))).toBe(12);
    for (const foreign of [envelope.id, `${envelope.id}.`, `${envelope.id}.late`, `${envelope.id}.1e3`, 'x.1', '7'])
      expect(withId(foreign)).toBeUndefined();
    expect(parseStored(stored)?.emission).toBeUndefined();
  });

  it('counts from one where it was published by an earlier release', () => {
    const { stored } = pack();
    const { attempts: _, ...earlier } = JSON.parse(new TextDecoder().decode(stored.data));
    expect(parseStored({ ...stored, data: encode(JSON.stringify(earlier)) })).toMatchObject({ attempt: 1 });
  });

  it('is none where no relay made it [S28]', () => {
    expect(parseStored(pack({ id: 'x' }).stored)).toBeUndefined();
    expect(parseStored(pack({ tenantId: '>' }).stored)).toBeUndefined();
    expect(parseStored({ ...pack().stored, subject: 'attache.work.projector.unknown' })).toBeUndefined();
    expect(parseStored({ ...pack().stored, data: encode('{') })).toBeUndefined();
  });

  it('carries no header that is no trace context [S28]', () => {
    const unfit = [
      null,
      { traceparent: 'rubbish\r\nNats-Msg-Id: x' },
      { traceparent: `${trace.traceparent}\r\nNats-Rollup: all` },
    ];
    for (const carrier of unfit) expect(formatHeaders(carrier).keys()).toEqual([]);
    expect(formatHeaders({ ...trace, tracestate: 'a=1\r\nNats-Rollup: all' }).keys()).toEqual(['traceparent']);
  });

  it.each([
    ['$JS.ACK.ATTACHE_WORK.projector.3.17.21.1700000000000000000.0', 3],
    ['$JS.ACK._.hash.ATTACHE_WORK.projector.4.17.21.1700000000000000000.0', 4],
    ['$JS.ACK._.hash.ATTACHE_WORK.projector.5.17.21.1700000000000000000.0.random', 5],
  ])('says in %s how often it came', (reply, attempt) => {
    expect(deliveryCountOf({ reply })).toBe(attempt);
  });
});
