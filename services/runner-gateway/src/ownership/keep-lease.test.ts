import type { Database, KeptLease } from '@attache/database';
import { createLogger } from '@attache/telemetry';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { keepLease } from './keep-lease.ts';
import { readMonotonicMs } from './lease-guard.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'hrtime', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const identity = { replicaId: 'one', incarnation: 'i' };
const renewed: KeptLease = { renewal: 'renewed', leaseMs: 6_000, isDrainAsked: false, moves: [], others: [] };

/** A lease whose database returns what the test says; `told` holds the reports to its owner and its guard. */
function given({ isShared = true } = {}) {
  let answer: () => Promise<unknown> = async () => renewed;
  const told: string[] = [];
  const untils: number[] = [];
  const begunMs = readMonotonicMs();
  const asked: string[] = [];
  const call = (statement: unknown) => {
    asked.push(JSON.stringify(statement));
    return answer();
  };
  const db = { call } as unknown as Database;
  const guard = { renew: (untilMs: number) => void untils.push(untilMs - begunMs), stop: async () => undefined };
  const lease = keepLease({
    link: { db: () => db, reset: () => void told.push('reset') },
    log: createLogger({ service: 'test', level: 'silent' }),
    identity,
    guard: isShared ? guard : undefined,
  });
  lease.start({
    describePlacement: () => ({ room: 1, programs: [], atLimit: [] }),
    onOthers: (others) => void (others.length > 0 && told.push(`others ${others.length}`)),
    onLapsed: async () => void told.push('lapsed'),
    onLost: () => void told.push('lost'),
    onFenced: () => void told.push('fenced'),
    onRestored: () => void told.push('restored'),
    onDrainAsked: () => void told.push('drain'),
    onMovesAsked: (moves) => void told.push(`move ${moves.length}`),
  });
  const answerWith = (next: () => Promise<unknown>) => {
    answer = next;
  };
  return { lease, told, untils, asked, answerWith };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const refuse = async () => {
  throw new Error('the database is away');
};

it('is renewed every two seconds, and its guard hears until when agents may run: a second less than the lease [BX-16]', async () => {
  const { lease, untils, told } = given();
  await pass(4_100);
  expect(untils.map((ms) => Math.round(ms / 100) / 10)).toEqual([5, 7, 9]);
  expect(lease.isHeld()).toBe(true);
  expect(told).toEqual([]);
  await lease.stop();
});

it('lasts half a minute where no other gateway lives, which the database knows [BX-16]', async () => {
  const { lease, asked } = given();
  await pass(2_100);
  expect(asked).toEqual([expect.stringMatching(/\b6000\b.*\b30000\b/)]);
  await lease.stop();
});

it('that is not renewed stops what runs under it a second before its end, once, and is held again after a renewal [BX-16 W16]', async () => {
  const { lease, told, answerWith } = given();
  await pass(2_100);
  answerWith(refuse);
  await pass(4_700);
  expect(told.filter((what) => what === 'fenced')).toEqual([]);
  await pass(400);
  expect(told.filter((what) => what === 'fenced')).toEqual(['fenced']);
  expect(lease.isHeld()).toBe(false);
  await pass(5_000);
  answerWith(async () => ({ ...renewed, renewal: 'lapsed' }));
  await pass(2_000);
  expect(told.filter((what) => what !== 'reset')).toEqual(['fenced', 'lapsed', 'restored']);
  expect(lease.isHeld()).toBe(true);
  await lease.stop();
});

it('has ended for whoever was stopped meanwhile, before anything else is done under it [BX-16 W16]', async () => {
  const { lease, told } = given();
  await pass(100);
  // No timer of a stopped process runs, but the clock does: the real one is far beyond that of the test.
  vi.useRealTimers();
  expect(told).toEqual([]);
  lease.look();
  lease.look();
  expect([told, lease.isHeld()]).toEqual([['fenced'], false]);
});

it('of the only gateway outlasts a database that is away for twenty seconds [BX-16 W15]', async () => {
  const { lease, told, answerWith } = given();
  answerWith(async () => ({ ...renewed, leaseMs: 30_000 }));
  await pass(2_100);
  answerWith(refuse);
  await pass(26_000);
  expect(told).not.toContain('fenced');
  await pass(4_000);
  expect(told).toContain('fenced');
  await lease.stop();
});

it('counts an answer that does not come as none, and asks by another connection', async () => {
  const { lease, told, answerWith } = given();
  answerWith(() => new Promise(() => {}));
  await pass(5_300);
  expect(told).toEqual(['reset', 'fenced']);
  answerWith(async () => renewed);
  await pass(4_000);
  expect(told).toContain('restored');
  await lease.stop();
});

it('under a name that another one has is lost, and asked for again', async () => {
  const { lease, told, answerWith } = given();
  let count = 0;
  answerWith(async () => {
    count += 1;
    return count === 1 ? { ...renewed, renewal: 'lost' } : { outcome: 'held' };
  });
  await pass(2_100);
  expect(told).toEqual(['lost']);
  expect(lease.isHeld()).toBe(false);
  await lease.stop();
});

it('tells what an operator asked for, and no drain that has begun', async () => {
  const { lease, told, answerWith } = given();
  const session = { tenantId: 't', sessionId: 's' };
  answerWith(async () => ({ ...renewed, isDrainAsked: true, moves: [session] }));
  await pass(2_100);
  lease.startDraining();
  await pass(2_000);
  expect(told).toEqual(['drain', 'move 1', 'move 1', 'move 1']);
  await lease.stop();
});

it('that nobody else can have is kept whatever the database says', async () => {
  const { lease, told, answerWith } = given({ isShared: false });
  answerWith(refuse);
  await pass(60_000);
  expect(told).not.toContain('fenced');
  expect(lease.isHeld()).toBe(true);
  await lease.stop();
});
