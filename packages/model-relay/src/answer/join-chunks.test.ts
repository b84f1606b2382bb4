import { expect, it } from 'vitest';
import { createChunkJoiner } from './join-chunks.ts';

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

function openJoiner() {
  const joined: Buffer[] = [];
  return { joined, joiner: createChunkJoiner((bytes) => void joined.push(bytes)) };
}

it('gives on what comes in one turn as one, in its order', async () => {
  const { joined, joiner } = openJoiner();
  for (const text of ['a', 'bc', 'd']) joiner.take(Buffer.from(text));
  expect(joined).toEqual([]);
  await nextTurn();
  joiner.take(Buffer.from('e'));
  await nextTurn();
  expect(joined.map(String)).toEqual(['abcd', 'e']);
});

it('gives on a chunk that comes alone without a copy', async () => {
  const { joined, joiner } = openJoiner();
  const chunk = Buffer.from('a');
  joiner.take(chunk);
  await nextTurn();
  expect(joined[0]).toBe(chunk);
});

it('gives on at once when it is asked to, and nothing twice', async () => {
  const { joined, joiner } = openJoiner();
  joiner.take(Buffer.from('a'));
  joiner.take(Buffer.from('b'));
  joiner.flush();
  expect(joined.map(String)).toEqual(['ab']);
  joiner.flush();
  await nextTurn();
  expect(joined).toHaveLength(1);
});
