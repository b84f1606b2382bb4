import { createHash } from 'node:crypto';
import type { ReplayPolicy } from '@attache/contracts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { anyText } from '../__fixtures__/any-text.ts';
import { otherAgentId, recordLog, takesAll, textOnly } from './__fixtures__/recorded-log.ts';
import type { HistoryTurn } from './replay-log.ts';

const isShort = process.env.ATTACHE_TEST_AMOUNT === 'few';

type Step =
  | { type: 'turn'; text: string; files: number; isWritten: boolean }
  | { type: 'answer'; text: string; isOther: boolean }
  | { type: 'view' }
  | { type: 'unreadable' };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    type: fc.constant('turn' as const),
    text: anyText(10),
    files: fc.nat({ max: 2 }),
    isWritten: fc.boolean(),
  }),
  fc.record({ type: fc.constant('answer' as const), text: fc.string(), isOther: fc.boolean() }),
  fc.constant({ type: 'view' as const }),
  fc.constant({ type: 'unreadable' as const }),
);

const digestOf = (turns: readonly HistoryTurn[]) => createHash('sha256').update(JSON.stringify(turns)).digest('hex');

type Log = ReturnType<typeof recordLog>;

function takeStep(log: Log, given: Step, index: number): void {
  const known = [...log.files.keys()];
  switch (given.type) {
    case 'turn': {
      const files = Array.from({ length: given.files }, (_, file) => log.addFile(index * 10 + file + 1));
      log.send(index + 1, given.text, files);
      if (given.isWritten) log.write(index + 1);
      break;
    }
    case 'answer':
      log.answer(given.text, given.isOther ? otherAgentId : undefined);
      break;
    case 'view':
      if (known[0]) log.view(known[0]);
      break;
    case 'unreadable':
      log.events.push({ ...log.events[0], seq: log.events.length + 1, kind: 'session.compacted' } as never);
      break;
    default:
      given satisfies never;
  }
}

it('a history is the same to the byte at each call, and what is added is added behind [BX-04]', () => {
  const policy = fc.constantFrom<ReplayPolicy>({ originals: 'none' }, { originals: 'untilCompaction' });
  const property = fc.property(
    fc.array(step, { maxLength: 25 }),
    policy,
    fc.constantFrom(takesAll, textOnly),
    (steps, kept, capability) => {
      const log = recordLog();
      let before: HistoryTurn[] = [];
      for (const [index, given] of steps.entries()) {
        takeStep(log, given, index);
        const now = log.replay({ policy: kept, capability });
        expect(digestOf(log.replay({ policy: kept, capability }))).toBe(digestOf(now));
        // Turns that have ended stay; the last one may still grow, behind what it held.
        const ended = before.slice(0, -1);
        expect(digestOf(now.slice(0, ended.length))).toBe(digestOf(ended));
        const [last, grown] = [before.at(-1), now[before.length - 1]];
        if (last && grown) {
          const prefix = { ...grown, pieces: grown.pieces.slice(0, last.pieces.length) };
          expect(digestOf([prefix])).toBe(digestOf([last]));
        }
        before = now;
      }
    },
  );
  fc.assert(property, { numRuns: isShort ? 50 : 200 });
});

it('a policy of some turns changes a turn once, when it leaves them [SR-05]', () => {
  const property = fc.property(fc.array(step, { maxLength: 20 }), fc.integer({ min: 1, max: 4 }), (steps, turns) => {
    const log = recordLog();
    for (const [index, given] of steps.entries()) takeStep(log, given, index);
    const whole = log.replay({ policy: { originals: 'untilCompaction' } });
    const bare = log.replay({ policy: { originals: 'none' } });
    const some = log.replay({ policy: { originals: { turns } } });
    const first = some.length - Math.min(turns, some.filter(({ messageId }) => messageId !== undefined).length);
    expect(digestOf(some)).toBe(digestOf([...bare.slice(0, first), ...whole.slice(first)]));
  });
  fc.assert(property, { numRuns: isShort ? 50 : 200 });
});
