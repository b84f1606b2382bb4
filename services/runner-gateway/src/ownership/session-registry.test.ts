import { Fault } from '@attache/contracts';
import { describe, expect, it } from 'vitest';
import { createSessionRegistry, type RegistryDeps } from './session-registry.ts';

const session = { tenantId: 'tenant', sessionId: 'session' };

/** A registry whose steps are noted in their order, and end on request if they are held up. */
function given(changes: Partial<Omit<RegistryDeps, 'ownership'>> & { ownership?: object } = {}) {
  const steps: string[] = [];
  const busy = new Set<string>();
  const held = new Map<string, Promise<void>>();
  const step = async (name: string) => {
    steps.push(name);
    await held.get(name);
  };
  const { ownership = {}, ...rest } = changes;
  const sessions = createSessionRegistry({
    ownership: {
      claim: async () => {
        await step('claim');
        return { epoch: 1, isTakenOver: false, deaths: 0 };
      },
      markSettled: () => void steps.push('settled'),
      release: async () => {
        await step('release');
        return true;
      },
      handOver: async () => {
        await step('hand over');
        return true;
      },
      ...ownership,
    },
    isEntitled: () => true,
    settle: () => step('settle'),
    isBusy: (sessionId) => busy.has(sessionId),
    stopAll: () => step('stop'),
    rest: () => step('rest'),
    onError: () => steps.push('error'),
    ...rest,
  });
  const holdUp = (name: string) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    held.set(name, promise);
    return () => {
      held.delete(name);
      resolve();
    };
  };
  return { sessions, steps, busy, holdUp };
}

const takenOver = { claim: async () => ({ epoch: 2, isTakenOver: true, deaths: 0 }) };

describe('the registry of sessions', () => {
  it('takes a session once for all that visit it, and lets go of it after the last of them', async () => {
    const { sessions, steps } = given();
    const visits = await Promise.all([sessions.visit(session), sessions.visit(session)]);
    visits[0]?.[Symbol.dispose]();
    expect(steps).toEqual(['claim']);
    visits[1]?.[Symbol.dispose]();
    await sessions.settled();
    expect(steps).toEqual(['claim', 'release']);
  });

  it('lets go of none in which something is left to do, until that is over', async () => {
    const { sessions, steps, busy } = given();
    busy.add(session.sessionId);
    {
      using _visit = await sessions.visit(session);
    }
    sessions.look(session);
    await sessions.settled();
    expect(steps).toEqual(['claim']);
    busy.clear();
    sessions.look(session);
    await sessions.settled();
    expect(steps).toEqual(['claim', 'release']);
  });

  it('takes one again that comes back while it is let go of, and not before', async () => {
    const { sessions, steps, holdUp } = given();
    const goOn = holdUp('release');
    {
      using _visit = await sessions.visit(session);
    }
    const back = sessions.visit(session);
    await new Promise(setImmediate);
    expect(steps).toEqual(['claim', 'release']);
    goOn();
    expect(await back).toBeDefined();
    expect(steps).toEqual(['claim', 'release', 'claim']);
  });

  it('settles what the last owner had begun before anything else, and again where that failed [BX-16]', async () => {
    let isDown = true;
    const settle = async () => {
      if (isDown) throw new Fault('DATABASE_UNAVAILABLE', 'The database is away.');
    };
    const { sessions, steps } = given({ ownership: takenOver, settle });
    await expect(sessions.visit(session)).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' });
    expect(steps).toEqual([]);
    isDown = false;
    expect(await sessions.visit(session)).toBeDefined();
    expect(steps).toEqual(['settled']);
  });

  it('gives nothing away of another gateway, nor without a name of its own [BX-16]', async () => {
    const foreign = given({ ownership: { claim: async () => undefined } });
    expect(await foreign.sessions.visit(session)).toBeUndefined();
    const nameless = given({ isEntitled: () => false });
    expect(await nameless.sessions.visit(session)).toBeUndefined();
    expect(nameless.steps).toEqual([]);
  });

  it('stops all that is under way in one that was lost before it is taken again [BX-16]', async () => {
    const { sessions, steps, holdUp, busy } = given();
    busy.add(session.sessionId);
    const visit = await sessions.visit(session);
    const goOn = holdUp('stop');
    sessions.drop(session);
    visit?.[Symbol.dispose]();
    const back = sessions.visit(session);
    await new Promise(setImmediate);
    expect(steps).toEqual(['claim', 'stop']);
    goOn();
    await back;
    expect(steps).toEqual(['claim', 'stop', 'claim']);
  });

  it('is left whole: its children end, then it is handed over; who comes meanwhile waits for that', async () => {
    const { sessions, steps, busy, holdUp } = given();
    busy.add('session');
    await sessions.visit(session);
    const goOn = holdUp('hand over');
    const left = sessions.leave(session);
    const again = sessions.visit(session);
    await Promise.resolve();
    goOn();
    await Promise.all([left, again]);
    expect(steps).toEqual(['claim', 'rest', 'hand over', 'claim']);
  });
});
