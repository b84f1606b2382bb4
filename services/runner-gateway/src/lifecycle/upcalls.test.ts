import { expect, it } from 'vitest';
import { createUpcalls, type Upcalls } from './upcalls.ts';

const session = { tenantId: 't', sessionId: 's' };

it('reach what was connected, which may be made after those that call', async () => {
  const { calls, connect } = createUpcalls();
  const told: unknown[] = [];
  const note = (call: string) => (of: typeof session) => void told.push([call, of]);
  const targets: Upcalls = {
    ...{ onLost: note('lost'), onEnded: note('ended'), onQuiet: note('quiet') },
    send: async (_, replicaId) => replicaId === 'other',
  };
  connect(targets);
  calls.onLost(session);
  calls.onEnded(session);
  calls.onQuiet(session);
  expect(told).toEqual([
    ['lost', session],
    ['ended', session],
    ['quiet', session],
  ]);
  expect(await calls.send(session, 'other')).toBe(true);
});

it('say so where one comes too early', () => {
  expect(() => createUpcalls().calls.onQuiet(session)).toThrow('before they were connected');
});
