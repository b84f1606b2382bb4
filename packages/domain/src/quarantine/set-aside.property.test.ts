import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { WireBlock, WireRequest } from '../receipt/wire-facts.ts';
import { picture, words } from './__fixtures__/wire-requests.ts';
import { chooseAside } from './set-aside.ts';

const seed = Number(process.env.ATTACHE_TEST_SEED ?? 0);
const numRuns = process.env.ATTACHE_TEST_AMOUNT === 'few' ? 40 : 1_000;

/** The pictures that a message brings, and those that its agent looks at, one after another. Names are few, so that many come again. */
type Turn = { brought: string[]; shown: string[]; isResumed: boolean };
const name = fc.nat(30).map(String);
const turn = fc.record<Turn>({
  brought: fc.array(name, { maxLength: 4 }),
  shown: fc.array(name, { maxLength: 3 }),
  isResumed: fc.boolean(),
});

/** A program that sends its whole conversation again, behind a relay that sets pictures aside. */
function createWorld(images: number) {
  const replaced = new Map<string, number>();
  const conversation: WireBlock[] = [];
  let earlier: WireRequest | 'unseen' | undefined;

  /** Says what goes out of each block: a text in the place of those that are set aside. */
  function render(): string[] {
    const counts = new Map<string, number>();
    return conversation.map((block) => {
      if (block.kind !== 'media') return block.key;
      const number = (counts.get(block.sha256) ?? 0) + 1;
      counts.set(block.sha256, number);
      return number <= (replaced.get(block.sha256) ?? 0) ? `[${block.sha256}]` : `picture ${block.sha256}`;
    });
  }
  return {
    begin: (isResumed: boolean) => {
      if (isResumed && conversation.length > 0) earlier = 'unseen';
    },
    say: (...blocks: WireBlock[]) => void conversation.push(...blocks),
    ask(firstOfTurn: WireRequest | undefined) {
      const request = { blocks: [...conversation], answer: undefined };
      const full = { ...request, sizeBytes: 0, earlier, firstOfTurn };
      const parts = chooseAside(full, { images }, (sha256) => replaced.get(sha256) ?? 0);
      for (const { wireSha256, occurrences } of parts) {
        expect(occurrences).toBeGreaterThan(replaced.get(wireSha256) ?? 0);
        replaced.set(wireSha256, occurrences);
      }
      return { request, sent: render(), isChanged: parts.length > 0 };
    },
    end: () => {
      earlier = { blocks: [...conversation], answer: undefined };
      conversation.push(words('answer', 'assistant'));
    },
  };
}

const isSent = (each: string) => each.startsWith('picture ');
const cut = (sent: readonly string[], length: number) => sent.slice(0, length).join();

describe('a conversation that takes picture after picture [BX-33]', () => {
  it('stays within the limit, shows every new picture, and keeps its beginning for turns', () => {
    const property = fc.property(
      fc.array(turn, { minLength: 10, maxLength: 30 }),
      fc.integer({ min: 8, max: 20 }),
      (turns, limit) => {
        const world = createWorld(limit);
        let [last, count] = [[] as string[], 0];
        let sinceChange = limit;
        for (const { brought, shown, isResumed } of turns) {
          world.begin(isResumed);
          world.say(words(`message ${count}`), ...brought.map((each) => picture(each)));
          let first: WireRequest | undefined;
          for (const view of [undefined, ...shown]) {
            if (view !== undefined) world.say(words('call', 'assistant'), picture(view, { place: 'tool-result' }));
            const { request, sent, isChanged } = world.ask(first);
            first ??= request;
            expect(sent.filter(isSent).length).toBeLessThanOrEqual(limit);
            const added = view === undefined ? brought : [view];
            if (added.length > 0) expect(sent.slice(-added.length)).toEqual(added.map((each) => `picture ${each}`));
            expect(cut(sent, last.length) === cut(last, last.length)).toBe(!isChanged);
            sinceChange += added.length;
            // With four pictures at most in a message, nothing changes again before so many have come.
            if (isChanged) {
              expect(sinceChange).toBeGreaterThanOrEqual(Math.floor((limit - 4) / 2));
              sinceChange = 0;
            }
            last = sent;
            count += 1;
          }
          world.end();
        }
      },
    );
    fc.assert(property, { seed, numRuns });
  });
});
