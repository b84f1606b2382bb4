import { randomUUID } from 'node:crypto';
import { idFromUuid, type SessionEvent } from '@attache/contracts';
import { describe, expect, it } from 'vitest';
import { MAX_LIVE_BYTES, packEvents, readLiveEvents, readUpToSeq } from './live-events.ts';

const tenantId = randomUUID();

const eventOf = (seq: number, text = 'x'): SessionEvent => ({
  ...{ id: idFromUuid('event', randomUUID()), seq, at: '2026-01-01T00:00:00.000Z', kind: 'agent.output' },
  ...{ actor: { type: 'service', id: 'runner-gateway' }, traceId: 't', schemaVersion: 1, data: { text } },
});

const pack = (events: SessionEvent[]) => [...packEvents({ tenantId, events })];
const seqsOf = (payloads: string[]) =>
  payloads.map((payload) => readLiveEvents(JSON.parse(payload))?.events.map(({ seq }) => seq));

describe('live events as messages', () => {
  it('go as many into one as it holds, in their order, and come out as they were', () => {
    const few = [eventOf(1), eventOf(2, 'é "quoted"'), eventOf(3)];
    expect(pack(few).map((payload) => readLiveEvents(JSON.parse(payload)))).toEqual([{ tenantId, events: few }]);
    const many = pack(Array.from({ length: 10 }, (_, index) => eventOf(index + 1, 'é'.repeat(10_000))));
    expect(seqsOf(many)).toEqual([[1, 2, 3], [4, 5, 6], [7, 8, 9], [10]]);
    for (const payload of many) expect(Buffer.byteLength(payload)).toBeLessThanOrEqual(MAX_LIVE_BYTES);
  });

  it('leave out what goes into none, to the byte', () => {
    const [alone = ''] = pack([eventOf(2)]);
    const text = 'x'.repeat(MAX_LIVE_BYTES - alone.length);
    const before = eventOf(1);
    expect(seqsOf(pack([before, eventOf(2, text), eventOf(3)]))).toEqual([[1], [2], [3]]);
    expect(seqsOf(pack([before, eventOf(2, `${text}xx`), eventOf(3)]))).toEqual([[1], [3]]);
    expect(pack([eventOf(2, `${text}xx`)])).toEqual([]);
  });

  it.each([undefined, null, 1, [], {}, { tenantId, events: [] }, { tenantId: 'x', events: [eventOf(1)] }])(
    'are not read from %j',
    (sent) => expect(readLiveEvents(sent)).toBeUndefined(),
  );

  it('keep fields that this release does not know', () => {
    const newer = { ...eventOf(1), added: { later: true } };
    expect(readLiveEvents({ tenantId, events: [newer] })?.events).toEqual([newer]);
  });

  it.each([
    ['7', 7],
    ['', undefined],
    ['0', undefined],
    ['-1', undefined],
    ['1.5', undefined],
    ['9'.repeat(17), undefined],
    ['7 ', undefined],
  ])('a ring with %j is about %s', (text, seq) => expect(readUpToSeq(Buffer.from(text))).toBe(seq));
});
