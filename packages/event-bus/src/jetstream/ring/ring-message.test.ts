import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { MAX_MESSAGE_BYTES } from '../topology.ts';
import { formatRing, parseRing, toEarlyRing, toRing } from './ring-message.ts';

const tenantId = randomUUID();
const data = { tenantId, sessionId: randomUUID(), deliveryId: randomUUID(), agentId: randomUUID() };
const announced = { id: randomUUID(), subject: 'delivery.prepared' as const, data };
const bytes = (text: string) => ({ data: new TextEncoder().encode(text), headers: undefined });

it('is heard as it was rung: a first attempt, with the trace of whoever rang', () => {
  const trace = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` };
  const formatted = formatRing(toRing({ ...announced, trace, owner: randomUUID() }));
  const heard = parseRing({ ...bytes(formatted?.payload ?? ''), headers: formatted?.headers });
  expect(heard).toMatchObject({ id: announced.id, subject: 'delivery.prepared', emission: 0, attempt: 1, passedOn: 0 });
  expect(heard?.message).toEqual({ ...announced, trace, attempt: 1 });
});

it('brings what it is about where there is room, and else rings without', () => {
  const ring = (head: unknown) => parseRing(bytes(formatRing(toRing({ ...announced, head }))?.payload ?? ''));
  expect(ring({ row: { id: data.deliveryId } })?.head).toEqual({ row: { id: data.deliveryId } });
  const large = ring({ text: 'x'.repeat(MAX_MESSAGE_BYTES) });
  expect(large).toMatchObject({ id: announced.id, message: { data } });
  expect(large?.head).toBeUndefined();
});

it('is told apart from an early one, whose id is of no row', () => {
  const blobs = [{ key: 'one', sizeBytes: 7 }];
  const early = parseRing(bytes(formatRing(toEarlyRing({ owner: randomUUID(), data, blobs }))?.payload ?? ''));
  expect(early).toMatchObject({ subject: 'delivery.prepared', early: blobs, message: { data } });
  expect(early?.id).not.toBe(announced.id);
  expect(parseRing(bytes(formatRing(toRing(announced))?.payload ?? ''))?.early).toBeUndefined();
  const hostile = [
    null,
    7,
    { key: 7, sizeBytes: 1 },
    { key: 'a', sizeBytes: -1 },
    { key: 'b', sizeBytes: 0.5 },
    ...blobs,
  ];
  for (const [form, read] of [
    [hostile, blobs],
    ['no list', []],
    [null, []],
  ])
    expect(parseRing(bytes(JSON.stringify({ ...announced, tenantId, early: form })))?.early).toEqual(read);
});

it('is none that is larger than a bus message', () => {
  const large = { ...announced, data: { ...data, more: 'x'.repeat(MAX_MESSAGE_BYTES) } };
  expect(formatRing(toRing(large))).toBeUndefined();
});

it.each([
  '',
  'null',
  '[]',
  '1',
  '{',
  '{}',
  JSON.stringify({ ...announced, tenantId, subject: 'toString' }),
  JSON.stringify({ ...announced, tenantId, subject: '__proto__' }),
  JSON.stringify({ ...announced, tenantId: 1 }),
  JSON.stringify({ ...announced, tenantId, id: '*' }),
])('is not %j', (text) => {
  expect(parseRing(bytes(text))).toBeUndefined();
});

it('names no message of another tenant than its own', () => {
  const foreign = JSON.stringify({ ...announced, tenantId: randomUUID() });
  expect(parseRing(bytes(foreign))?.message).toBeUndefined();
});
