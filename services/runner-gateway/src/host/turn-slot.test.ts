import { randomUUID } from 'node:crypto';
import { idFromUuid } from '@attache/contracts';
import { expect, it } from 'vitest';
import type { RunningTurn } from '../output/output-sink.ts';
import { createTurnSlot } from './turn-slot.ts';

const givenTurn = (): RunningTurn => ({
  deliveryId: idFromUuid('delivery', randomUUID()),
  trace: undefined,
  handedOut: new Map(),
});
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
