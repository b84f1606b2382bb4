import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { createTeller } from './tell-followers.ts';

function openTeller(count: number) {
  const heard = Array.from({ length: count }, () => [] as string[]);
  const followers = new Set(
    heard.map((told) => ({ onNews: () => void told.push('news'), onDelta: (text: string) => void told.push(text) })),
  );
  return { heard, teller: createTeller(followers) };
}

it('a few followers are told at once', () => {
  const { heard, teller } = openTeller(3);
  teller.noteDelta('a');
  expect(heard).toEqual([['a'], ['a'], ['a']]);
});

it('many are told a few in a turn, and what came meanwhile together [BX-27]', async () => {
  const { heard, teller } = openTeller(1_000);
  const count = () => heard.filter(({ length }) => length > 0).length;
  teller.noteNews();
  const first = count();
  expect(first).toBeGreaterThan(0);
  expect(first).toBeLessThan(100);
  for (const word of ['a', 'b', 'c']) teller.noteDelta(word);
  await nextTurn();
  expect(count()).toBeLessThan(200);
  await vi.waitFor(() => expect(heard.at(-1)).toHaveLength(2), { timeout: 30_000 });
  expect(heard.every((told) => told.join(' ') === 'news abc')).toBe(true);
});

it('a deluge of words is cut, and the news behind it comes', async () => {
  const { heard, teller } = openTeller(40);
  teller.noteNews();
  for (let count = 0; count < 1_000; count += 1) teller.noteDelta('x'.repeat(1_000));
  teller.noteNews();
  await vi.waitFor(() => expect(heard.at(-1)).toHaveLength(2), { timeout: 30_000 });
  const kept = heard[0]?.[1]?.length ?? 0;
  expect(kept).toBeGreaterThan(1_000);
  expect(kept).toBeLessThanOrEqual(64 * 1024);
});
