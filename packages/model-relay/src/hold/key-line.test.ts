import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createKeyLine, findTimeLeft, holdLine, joinLine, leaveLine, settleInLine, type Waiting } from './key-line.ts';

// Waiting for a condition moves the clock on.
beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** A line that was limited a moment ago, and what was let go of it. */
function openLine() {
  const gone: string[] = [];
  const onEmpty = vi.fn();
  const line = createKeyLine(onEmpty);
  holdLine(line, 30);
  const join = (name: string): Waiting => {
    const waiting = { tenant: name.slice(0, 1), go: () => void gone.push(name) };
    joinLine(line, waiting);
    return waiting;
  };
  return {
    line,
    gone,
    onEmpty,
    join,
    tries: () => vi.waitFor(() => expect(gone).toHaveLength(1), { timeout: 60_000 }),
  };
}

it('lets one try when the time is over, then two for each answer, in turns of tenants', async () => {
  const { line, gone, onEmpty, join, tries } = openLine();
  for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'c2']) join(name);
  expect(gone).toEqual([]);
  await tries();
  // It comes again before the others have gone, and is the last one now.
  join('a5');
  settleInLine(line, { as: 'answered' });
  expect(gone).toEqual(['a1', 'b1', 'c1']);
  join('b2');
  settleInLine(line, { as: 'answered' });
  settleInLine(line, { as: 'lost' });
  expect(gone).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'b2']);
  settleInLine(line, { as: 'limited', waitMs: undefined });
  expect(onEmpty).not.toHaveBeenCalled();
  settleInLine(line, { as: 'answered' });
  expect(gone).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'b2', 'a3', 'a4', 'a5']);
  // No request waits, and the key may be used.
  expect(onEmpty).toHaveBeenCalledOnce();
});

it('does not end while its last one tries, so that nobody else does', async () => {
  const { line, gone, onEmpty, join, tries } = openLine();
  join('a1');
  await tries();
  expect(onEmpty).not.toHaveBeenCalled();
  join('b1');
  expect(gone).toEqual(['a1']);
  settleInLine(line, { as: 'lost' });
  expect(gone).toEqual(['a1', 'b1']);
  settleInLine(line, { as: 'lost' });
  expect(onEmpty).toHaveBeenCalledOnce();
});

it('lets more go without answers once there was one: a model may think for minutes', async () => {
  const { line, gone, join, tries } = openLine();
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) join(name);
  await tries();
  settleInLine(line, { as: 'answered' });
  await vi.waitFor(() => expect(gone).toHaveLength(5), { timeout: 60_000 });
});

it('waits again where the one that tried, or one behind it, is limited again', async () => {
  const { line, gone, join, tries } = openLine();
  for (const name of ['a1', 'b1', 'a2']) join(name);
  await tries();
  settleInLine(line, { as: 'limited', waitMs: 60_000 });
  expect(findTimeLeft(line)).toBeGreaterThan(50_000);
  expect(gone).toEqual(['a1']);
  // An answer to an earlier request changes nothing.
  line.outCount += 1;
  settleInLine(line, { as: 'answered' });
  expect(gone).toEqual(['a1']);
  clearTimeout(line.timer);
});

it('does not wait for an answer that takes long: another one tries when the time is over', async () => {
  const { line, gone, join, tries } = openLine();
  for (const name of ['a1', 'a2', 'a3', 'a4']) join(name);
  await tries();
  settleInLine(line, { as: 'answered' });
  settleInLine(line, { as: 'limited', waitMs: 20 });
  expect(line.outCount).toBe(1);
  await vi.waitFor(() => expect(gone).toEqual(['a1', 'a2', 'a3', 'a4']), { timeout: 60_000 });
});

it('forgets who leaves, and is empty with the last', async () => {
  const { line, gone, onEmpty, join } = openLine();
  const [first, second] = [join('a1'), join('b1')];
  leaveLine(line, first);
  leaveLine(line, first);
  expect(line.heldCount).toBe(1);
  leaveLine(line, second);
  expect([...line.queues]).toEqual([]);
  await vi.waitFor(() => expect(onEmpty).toHaveBeenCalled(), { timeout: 60_000 });
  expect(gone).toEqual([]);
});
