import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeAttachment } from '../__fixtures__/example-attachment.ts';
import { createDescriber } from './describe-draft.ts';
import { beginDraft, type DraftAction, type DraftState, isActive, type NewItem, reduceDraft } from './draft-state.ts';

const CONCURRENCY = 2;
const keys = ['a', 'b', 'c', 'd'];

function newItem(key: string): NewItem {
  const file = new Blob(['0123456789']);
  return {
    ...{ key, name: `${key}.txt`, mimeType: 'text/plain', sizeBytes: 10, kind: 'text', source: undefined },
    ...{ file, body: file, idempotencyKey: key, storedId: undefined, stage: { name: 'queued' } },
  };
}

const key = fc.constantFrom(...keys);
const attempt = fc.oneof(
  { weight: 6, arbitrary: fc.constant(1) },
  { weight: 2, arbitrary: fc.constant(2) },
  fc.constant(3),
);
const error = { code: 'NETWORK_FAILED', message: 'x', retryable: true };
const statuses = fc.constantFrom('pending' as const, 'ready' as const, 'rejected' as const);

const stored = fc.record({ key, attempt, status: statuses }).map(({ status, ...rest }) => ({
  ...{ type: 'stored' as const, ...rest, displayUrl: 'https://a.example' },
  attachment: describeAttachment(rest.key, status),
}));
const inspected = fc.record({ key, attempt, status: statuses }).map(({ status, ...rest }) => ({
  ...{ type: 'inspected' as const, ...rest },
  attachment: describeAttachment(rest.key, status),
}));
const steps: fc.Arbitrary<DraftAction> = fc.oneof(
  key.map((each) => ({ type: 'begun' as const, key: each })),
  fc.record({ type: fc.constant('sending' as const), key, attempt, body: fc.constant(new Blob(['0123456789'])) }),
  fc.record({ type: fc.constant('progressed' as const), key, attempt, sentBytes: fc.integer({ min: 0, max: 12 }) }),
  stored,
  inspected,
);
const turns: fc.Arbitrary<DraftAction> = fc.oneof(
  fc.record({ type: fc.constant('waiting' as const), key, attempt }),
  fc.record({ type: fc.constant('failed' as const), key, attempt, error: fc.constant(error) }),
  key.map((each) => ({ type: 'removed' as const, key: each })),
  key.map((each) => ({ type: 'retried' as const, key: each, idempotencyKey: `${each}-again` })),
  fc.constant({ type: 'cleared' as const }),
  fc.constant({ type: 'taken' as const }),
  fc.record({
    type: fc.constant('settled' as const),
    generation: fc.integer({ min: 1, max: 3 }),
    outcome: fc.constantFrom('sent' as const, 'failed' as const),
  }),
);
/** The next step of a file's upload, whatever that is just then. */
const advance = fc.record({ type: fc.constant('advance' as const), key, status: statuses });
type Move = DraftAction | { type: 'advance'; key: string; status: 'pending' | 'ready' | 'rejected' };
/** Anything in any order: what the server, the network and a person may do at any moment. */
const actions = fc.oneof(
  { weight: 4, arbitrary: advance },
  { weight: 2, arbitrary: steps },
  { weight: 1, arbitrary: turns },
);

function toAction(state: DraftState, move: Move): DraftAction | undefined {
  if (move.type !== 'advance') return move;
  const item = state.items.find((each) => each.key === move.key);
  if (!item) return undefined;
  const { attempt: present } = item;
  const attachment = describeAttachment(move.key, move.status);
  switch (item.stage.name) {
    case 'queued':
      return { type: 'begun', key: move.key };
    case 'reducing':
      return { type: 'sending', key: move.key, attempt: present, body: new Blob(['0123456789']) };
    case 'inspecting':
      return { type: 'inspected', key: move.key, attempt: present, attachment };
    default:
      return { type: 'stored', key: move.key, attempt: present, attachment, displayUrl: 'https://a.example' };
  }
}
const runs = fc.array(actions, { minLength: 40, maxLength: 120 });

/** Runs actions on a draft with every file, and looks at each step. */
function run(all: readonly Move[], look: (before: DraftState, action: DraftAction, after: DraftState) => void) {
  let state = reduceDraft(beginDraft(CONCURRENCY), { type: 'added', items: keys.map(newItem) });
  for (const move of all) {
    const before = state;
    const action = toAction(state, move);
    if (action === undefined) continue;
    state = reduceDraft(state, action);
    look(before, action, state);
  }
}

const check = (look: Parameters<typeof run>[1]) =>
  fc.assert(
    fc.property(runs, (all) => run(all, look)),
    { numRuns: 500 },
  );

describe('a draft, whatever happens in whatever order', () => {
  it('has a file ready only once the server said so of its present upload', () => {
    let readyFiles = 0;
    check((before, action, after) => {
      for (const item of after.items) {
        const was = before.items.find((each) => each.key === item.key);
        if (item.stage.name !== 'ready' || was?.stage.name === 'ready') continue;
        readyFiles += 1;
        const isSaid =
          (action.type === 'stored' || action.type === 'inspected') && action.attachment.status === 'ready';
        expect([isSaid, 'key' in action && action.key, 'attempt' in action && action.attempt]).toEqual([
          ...[true, item.key, item.attempt],
        ]);
      }
    });
    // Else nothing was shown.
    expect(readyFiles).toBeGreaterThan(500);
  });

  it('fills no bar before its file is ready', () => {
    const describeState = createDescriber();
    check((_, __, after) => {
      for (const { status, sentBytes, totalBytes, id, displayUrl } of describeState(after).items) {
        expect(sentBytes === totalBytes).toBe(status === 'ready');
        expect([id !== undefined, displayUrl !== undefined]).toEqual([status === 'ready', status === 'ready']);
      }
    });
  });

  it('sends no more files at once than it may', () => {
    check((_, __, after) => expect(after.items.filter(isActive).length).toBeLessThanOrEqual(CONCURRENCY));
  });

  it('has nothing back that was removed or cleared', () => {
    check((before, _, after) => {
      const present = new Set(before.items.map((item) => item.key));
      expect(after.items.filter((item) => !present.has(item.key))).toEqual([]);
    });
  });

  it('clears by a sent message exactly its own files, and by a failed one none', () => {
    check((before, action, after) => {
      if (action.type !== 'settled') return;
      const isTaken = (generation: number) => generation === action.generation && generation < before.generation;
      const kept = before.items.filter(({ generation }) => action.outcome === 'failed' || !isTaken(generation));
      expect(after.items.map((item) => item.key)).toEqual(kept.map((item) => item.key));
    });
  });

  it('changes no file of another generation by clear, and none that is being sent', () => {
    check((before, action, after) => {
      if (action.type !== 'cleared') return;
      expect(after.items).toEqual(before.items.filter(({ generation }) => generation < before.generation));
      expect(after.generation).toBe(before.generation + 1);
    });
  });

  it('names in its ids the ready files of its generation, and is busy as long as one is on its way', () => {
    const describeState = createDescriber();
    check((_, __, after) => {
      const { referenceIds, isBusy, items, generation } = describeState(after);
      const present = items.filter((item) => item.generation === generation);
      expect(referenceIds).toEqual(present.flatMap(({ id }) => id ?? []));
      expect(isBusy).toBe(present.some(({ status }) => status === 'uploading'));
    });
  });

  it('is described by the same objects until something changes', () => {
    const describeState = createDescriber();
    check((before, _, after) => {
      const [was, is] = [describeState(before), describeState(after)];
      expect(was === is).toBe(before === after);
      for (const [index, item] of after.items.entries())
        if (before.items[index] === item) expect(is.items[index]).toBe(was.items[index]);
    });
  });
});
