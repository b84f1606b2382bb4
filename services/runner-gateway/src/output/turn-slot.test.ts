import { randomUUID } from 'node:crypto';
import { idFromUuid } from '@attache/contracts';
import type { WireBlock } from '@attache/domain';
import { expect, it, vi } from 'vitest';
import { openTurn } from './output-sink.ts';
import { createTurnSlot } from './turn-slot.ts';

const givenTurn = () => openTurn({ deliveryId: idFromUuid('delivery', randomUUID()), trace: undefined });
const file = { id: idFromUuid('attachment', randomUUID()), sha256: 'a'.repeat(64) };

it('what an agent gets from its tools counts for every delivery that is in its turn, and for none before or after [BX-03]', () => {
  const slot = createTurnSlot();
  const [first, second, third] = [givenTurn(), givenTurn(), givenTurn()];
  const handOut = (sizeBytes: number) => slot.noteHandedOut(file, { sha256: 'b'.repeat(64), sizeBytes });
  const seen = () => [first, second, third].map(({ handedOut }) => handedOut.get(file.id)?.sizeBytes);
  handOut(1);
  slot.setTurn(first);
  handOut(2);
  // It enters the turn of the first.
  slot.setTurn(second);
  expect(slot.current()).toBe(second);
  handOut(3);
  slot.endTurn(first);
  handOut(4);
  slot.endTurn(second);
  expect(slot.current()).toBeUndefined();
  handOut(5);
  slot.setTurn(third);
  expect(seen()).toEqual([3, 4, undefined]);
});

it('a delivery that found the turn over, and begins the next one, is in a turn after the last that entered has ended [DL-52]', () => {
  const slot = createTurnSlot();
  const [late, entered] = [givenTurn(), givenTurn()];
  slot.setTurn(late);
  slot.setTurn(entered);
  slot.endTurn(entered);
  expect(slot.current()).toBe(late);
  slot.endTurn(late);
  expect(slot.current()).toBeUndefined();
});

it('what a program asks its model counts for every delivery that is in its turn, from the last request that was accepted before [BX-23]', () => {
  const slot = createTurnSlot();
  const [first, second] = [givenTurn(), givenTurn()];
  const answered = (status: number) => ({ blocks: [], answer: { status, hasBegun: status === 200 } });
  slot.noteRequest()(undefined);
  slot.setTurn(first);
  const endFirst = slot.noteRequest();
  const errand = slot.noteRequest();
  const accepted = answered(200);
  endFirst(accepted);
  // It enters the turn of the first.
  slot.setTurn(second);
  const refused = answered(400);
  slot.noteRequest()(refused);
  errand(undefined);
  const ended = (request: unknown) => ({ hasEnded: true, request });
  expect(first.requests).toEqual([ended(accepted), ended(undefined), ended(refused)]);
  expect(second.requests).toEqual([ended(refused)]);
  expect([first.earlier, second.earlier]).toEqual([undefined, accepted]);
});

it('what requests use counts for the turns in which they began, with what the last accepted one had sent before [BX-03]', () => {
  const slot = createTurnSlot();
  const [first, second] = [givenTurn(), givenTurn()];
  const block = (key: string, end: number) =>
    ({ kind: 'text', place: 'user', key, range: { start: 0, end } }) as WireBlock;
  const [a, b] = [block('a', 100), block('b', 20)];
  const request = (...blocks: WireBlock[]) => ({ blocks, answer: { status: 200, hasBegun: true } });
  const counted = { inputTokens: 10, cachedInputTokens: 4, outputTokens: 1 };
  // Between turns it counts for none, but its bytes were sent.
  expect(slot.noteRequest()(request(a), { blocks: [a], counted })).toBe(0);
  slot.setTurn(first);
  const [own, errand] = [slot.noteRequest(), slot.noteRequest()];
  expect(own(request(a, b), { blocks: [a, b], counted })).toBe(100);
  // A part that was accepted while it was in progress does not count for it.
  expect(errand(undefined, { blocks: [b], counted: undefined })).toBe(0);
  slot.noteRequest()(undefined);
  slot.setTurn(second);
  const late = slot.noteRequest();
  slot.endTurn(first);
  expect(late(request(a, b), { blocks: [a, b], counted })).toBe(120);
  const twice = { inputTokens: 20, cachedInputTokens: 8, outputTokens: 2 };
  expect(first.use).toEqual({ requests: 3, resentBytes: 220, counted: twice });
  expect(second.use).toEqual({ requests: 1, resentBytes: 120, counted });
});

it('says how long the first of its turns has left, and when none runs any more', () => {
  const slot = createTurnSlot({ turnMs: 60_000 });
  const ended = vi.fn();
  slot.whenNoneRuns(ended);
  expect(slot.timeLeft()).toBeUndefined();
  const [first, second] = [givenTurn(), givenTurn()];
  slot.setTurn(first);
  first.endsAtMs = performance.now() - 1;
  slot.setTurn(second);
  expect(slot.timeLeft()).toBeLessThan(0);
  slot.endTurn(first);
  expect(slot.timeLeft()).toBeGreaterThan(0);
  expect(ended).not.toHaveBeenCalled();
  slot.endTurn(second);
  expect(ended).toHaveBeenCalledOnce();
});

it('a request that has not ended with its turn is known as such', () => {
  const slot = createTurnSlot();
  const turn = givenTurn();
  slot.setTurn(turn);
  slot.noteRequest();
  expect(turn.requests).toEqual([{ hasEnded: false, request: undefined }]);
});

it('the turns before a program was started again were not seen', () => {
  const slot = createTurnSlot({ isResumed: true });
  const [first, second] = [givenTurn(), givenTurn()];
  slot.setTurn(first);
  const accepted = { blocks: [], answer: { status: 200, hasBegun: true } };
  slot.noteRequest()(accepted);
  slot.endTurn(first);
  slot.setTurn(second);
  expect([first.earlier, second.earlier]).toEqual(['unseen', accepted]);
});
