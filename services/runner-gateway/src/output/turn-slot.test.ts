import { randomUUID } from 'node:crypto';
import { idFromUuid } from '@attache/contracts';
import { expect, it } from 'vitest';
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
