import { expect, it } from 'vitest';
import type { SessionKey } from '../ownership/session-ownership.ts';
import { leaveSessions } from './leave-sessions.ts';

/** `coming`: something waits in these once so many sessions have been left. */
type Given = { count: number; busy?: string[]; waiting?: string[]; coming?: string[]; broken?: string[] };

const COME_AFTER = 8;

/** A gateway that holds so many sessions. Leaving one takes a turn of the event loop; if one is busy, it takes until `endTurn`. */
function given({ count, busy = [], waiting = [], coming = [], broken = [] }: Given) {
  const held = new Map(
    Array.from({ length: count }, (_, place) => [`s${place}`, { tenantId: 't', sessionId: `s${place}` }]),
  );
  const turn = Promise.withResolvers<void>();
  const left: string[] = [];
  const underWay = { now: 0, most: 0 };
  const leave = async ({ sessionId }: SessionKey) => {
    underWay.now += 1;
    underWay.most = Math.max(underWay.most, underWay.now);
    await new Promise(setImmediate);
    underWay.now -= 1;
    if (broken.includes(sessionId)) throw new Error(`${sessionId} is not left`);
    held.delete(sessionId);
    if (left.push(sessionId) === COME_AFTER) waiting.push(...coming);
  };
  const leaving = leaveSessions({
    ownership: { held: () => [...held.values()] },
    sessions: { leave, settled: async () => {} },
    lanes: {
      refuse: () => {},
      admit: () => {},
      isBusy: (sessionId) => busy.includes(sessionId),
      wasRefused: (sessionId) => waiting.includes(sessionId),
      closeSession: (sessionId) => (busy.includes(sessionId) ? turn.promise : Promise.resolve()),
    },
    doorbells: { ring: () => {} },
  });
  return { leaving, left, underWay, endTurn: () => turn.resolve() };
}

it('lets go of idle sessions a few at a time, while turns run in busy ones [BX-16]', async () => {
  const { leaving, left, underWay, endTurn } = given({ count: 40, busy: ['s0', 's20'] });
  await expect.poll(() => left).toHaveLength(38);
  expect(underWay.most).toBeLessThanOrEqual(8);
  expect(left).not.toContain('s0');
  endTurn();
  await leaving;
  expect(left).toHaveLength(40);
});

it('takes those first in which something waits, also what comes meanwhile [BX-16]', async () => {
  const { leaving, left } = given({ count: 40, waiting: ['s39'], coming: ['s38'] });
  await leaving;
  expect(left.indexOf('s39')).toBeLessThan(8);
  expect(left.indexOf('s38')).toBeLessThan(COME_AFTER + 9);
});

it('lets go of the others where some fail, and says so [BX-16]', async () => {
  const broken = Array.from({ length: 12 }, (_, place) => `s${place}`);
  const { leaving, left } = given({ count: 40, broken });
  await expect(leaving).rejects.toThrow('is not left');
  expect(left).toHaveLength(28);
});
