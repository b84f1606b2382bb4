import { describe, expect, it } from 'vitest';
import { createTail } from './log-tail.ts';

const eventOf = (seq: number) => ({ seq, text: `event ${seq}` });

function given(last: number) {
  const tail = createTail();
  tail.add(
    0,
    Array.from({ length: last }, (_, index) => eventOf(index + 1)),
  );
  const offer = (seq: number) => tail.offer(seq, () => `event ${seq}`);
  const after = (seq: number) => tail.after(seq)?.map((event) => event.seq);
  return { tail, offer, after };
}

describe('the tail of a log', () => {
  it('takes a live event where it is the next one, and keeps what it has where it is not', () => {
    const { offer, after } = given(3);
    expect([offer(4), offer(4), offer(2), offer(6), offer(5), offer(6)]).toEqual([
      ...['taken', 'known', 'known', 'gap', 'taken', 'taken'],
    ]);
    expect([after(0), after(5), after(6), after(7)]).toEqual([[1, 2, 3, 4, 5, 6], [6], [], undefined]);
  });

  it('takes none before the log was read', () => {
    const tail = createTail();
    expect([tail.offer(1, () => 'event 1'), tail.head, tail.after(0)]).toEqual(['gap', undefined, undefined]);
  });

  it('does not go back where a read answers what a live event was behind', () => {
    const { tail, offer, after } = given(3);
    offer(4);
    tail.add(3, []);
    tail.add(1, [eventOf(2), eventOf(3)]);
    expect([tail.head, after(2)]).toEqual([4, [3, 4]]);
  });

  it('keeps no more than two hundred events, and no more than a quarter of a million characters', () => {
    const { tail, offer, after } = given(0);
    tail.add(0, [eventOf(1)]);
    for (let seq = 2; seq <= 300; seq += 1) offer(seq);
    expect([after(99), after(100)?.[0]]).toEqual([undefined, 101]);
    tail.offer(301, () => 'x'.repeat(300_000));
    expect([tail.head, after(300), after(301)]).toEqual([301, undefined, []]);
  });
});
