import { describe, expect, it } from 'vitest';
import { createTurns, type Turn } from './turns.ts';

const never = new AbortController().signal;
const variantOf = (tenantId: string, signal = never): Turn => ({ tenantId, task: 'make-variant', signal });
const inspectionOf = (tenantId: string): Turn => ({ tenantId, task: 'inspect', signal: never });
const settle = () => new Promise((resolve) => setImmediate(resolve));

it('runs no more tasks at once than it has places, first come first served [DL-81]', async () => {
  const turns = createTurns(2);
  const log: string[] = [];
  const finish: (() => void)[] = [];
  const start = (name: string) =>
    turns.use(variantOf('one'), async () => {
      log.push(name);
      await new Promise<void>((resolve) => finish.push(resolve));
    });
  const tasks = ['a', 'b', 'c', 'd'].map(start);
  await Promise.resolve();
  expect(log).toEqual(['a', 'b']);
  finish[1]?.();
  await tasks[1];
  await tasks.at(1);
  expect(log).toEqual(['a', 'b', 'c']);
  finish[0]?.();
  finish[2]?.();
  await tasks[0];
  await tasks[2];
  finish[3]?.();
  await Promise.all(tasks);
  expect(log).toEqual(['a', 'b', 'c', 'd']);
});

it('lets a waiting task be given up without losing its place [DL-81]', async () => {
  const turns = createTurns(1);
  const first = Promise.withResolvers<void>();
  const running = turns.use(variantOf('one'), () => first.promise);
  const giveUp = new AbortController();
  const waiting = turns.use(variantOf('one', giveUp.signal), async () => 'never');
  const last = turns.use(variantOf('one'), async () => 'last');
  giveUp.abort(new Error('attachment removed'));
  await expect(waiting).rejects.toThrow('attachment removed');
  first.resolve();
  await running;
  expect(await last).toBe('last');
});

it('frees the place of a task that fails', async () => {
  const turns = createTurns(1);
  await expect(turns.use(variantOf('one'), () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await turns.use(variantOf('one'), async () => 'yes')).toBe('yes');
});

/** Tasks that run until they are finished by name. */
function openFixture(places: number, now?: () => number) {
  const turns = createTurns(places, now);
  const running = new Map<string, () => void>();
  const begun: string[] = [];
  const start = (name: string, turn: Turn) =>
    void turns.use(turn, () => {
      begun.push(name);
      return new Promise<void>((resolve) => running.set(name, resolve));
    });
  const finish = async (name: string) => {
    running.get(name)?.();
    running.delete(name);
    await settle();
  };
  return { turns, begun, start, finish };
}

it('serves what yields when nothing else waits, of whatever tenant, and in its order', async () => {
  const { begun, start, finish } = openFixture(1);
  for (const name of ['p1', 'p2']) start(name, { ...variantOf('a'), yields: true });
  start('p3', { ...variantOf('b'), yields: true });
  for (const name of ['a-file', 'a-file-2']) start(name, inspectionOf('a'));
  start('b-variant', variantOf('b'));
  await settle();
  const expected = ['p1', 'a-file', 'b-variant', 'a-file-2', 'p3', 'p2'];
  for (const name of expected) await finish(name);
  expect(begun).toEqual(expected);
});

describe('tenants take turns [BX-27]', () => {
  it('one that has many waiting lets another in as soon as a place is free', async () => {
    const { begun, start, finish } = openFixture(1);
    for (const name of ['a1', 'a2', 'a3']) start(name, variantOf('a'));
    for (const name of ['b1', 'b2']) start(name, variantOf('b'));
    start('c1', variantOf('c'));
    await settle();
    for (const name of ['a1', 'a2', 'b1', 'c1', 'a3', 'b2']) await finish(name);
    expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
  });

  it('who holds fewer places comes first', async () => {
    const { begun, start, finish } = openFixture(2);
    for (const name of ['a1', 'a2', 'a3']) start(name, variantOf('a'));
    for (const name of ['b1', 'b2']) start(name, variantOf('b'));
    await settle();
    for (const name of ['a1', 'b1', 'a2']) await finish(name);
    expect(begun).toEqual(['a1', 'a2', 'b1', 'b2', 'a3']);
  });

  it('one place more inspects, and for tenants that hold none alone', async () => {
    const { begun, start, finish } = openFixture(2);
    for (const name of ['a1', 'a2', 'a3']) start(name, inspectionOf('a'));
    start('b-variant', variantOf('b'));
    await settle();
    expect(begun).toEqual(['a1', 'a2']);
    start('b-file', inspectionOf('b'));
    start('b-file-2', inspectionOf('b'));
    start('c-file', inspectionOf('c'));
    await settle();
    expect(begun).toEqual(['a1', 'a2', 'b-file']);
    await finish('b-file');
    await finish('b-file-2');
    expect(begun).toEqual(['a1', 'a2', 'b-file', 'b-file-2', 'c-file']);
  });

  it('one that used a minute of processor time waits while another waits, and no longer', async () => {
    let nowMs = 0;
    const { turns, begun, start, finish } = openFixture(1, () => nowMs);
    turns.charge('a', 59_990);
    turns.charge('a', 10);
    for (const name of ['a1', 'a2', 'a3']) start(name, variantOf('a'));
    for (const name of ['b1', 'b2', 'b3', 'b4']) start(name, variantOf('b'));
    await settle();
    await finish('a1');
    await finish('b1');
    expect(begun).toEqual(['a1', 'b1', 'b2']);
    nowMs = 60_000;
    await finish('b2');
    expect(begun).toEqual(['a1', 'b1', 'b2', 'a2']);
    turns.charge('a', 60_000);
    for (const name of ['a2', 'b3', 'b4']) await finish(name);
    expect(begun.slice(4)).toEqual(['b3', 'b4', 'a3']);
  });
});
