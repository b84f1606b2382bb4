import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { AgentLanes } from '../deliver/agent-lanes.ts';
import { lineUpSuspects } from './suspect-line.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const sessionOf = (sessionId: string) => ({ tenantId: 'tenant', sessionId });

/** Suspects whose deliveries wait, one agent each. */
function given(...names: string[]) {
  const woken: string[] = [];
  const closed: string[] = [];
  const lanes = lineUpSuspects({
    wake: (_session: unknown, agentId: string) => void woken.push(agentId),
    isBusy: () => false,
    closeSession: async (sessionId: string) => void closed.push(sessionId),
  } as unknown as AgentLanes);
  for (const name of names) {
    lanes.suspect(sessionOf(name));
    lanes.wake(sessionOf(name), `agent of ${name}`);
  }
  return { lanes, woken, closed };
}

it('what may have killed a gateway continues one session after the other, while others continue at once [BX-16]', () => {
  const { lanes, woken } = given('a', 'b', 'c');
  expect(woken).toEqual(['agent of a']);
  lanes.wake(sessionOf('x'), 'agent of x');
  lanes.endTurn('x');
  expect(woken).toEqual(['agent of a', 'agent of x']);
  lanes.endTurn('a');
  expect(woken.slice(2)).toEqual(['agent of b']);
  lanes.endTurn('b');
  expect(woken.slice(3)).toEqual(['agent of c']);
});

it('what a ring brought goes with it, but not where it waits', () => {
  const heads: unknown[] = [];
  const lanes = lineUpSuspects({ wake: (...[, , head]: unknown[]) => void heads.push(head) } as unknown as AgentLanes);
  const head = {} as Parameters<AgentLanes['wake']>[2];
  lanes.wake(sessionOf('x'), 'agent of x', head);
  lanes.suspect(sessionOf('a'));
  lanes.suspect(sessionOf('b'));
  lanes.wake(sessionOf('b'), 'agent of b', head);
  lanes.endTurn('a');
  expect(heads).toEqual([head, undefined]);
});

it('one whose turn does not end holds the others up for half a minute', async () => {
  const { woken } = given('a', 'b');
  await vi.advanceTimersByTimeAsync(29_000);
  expect(woken).toEqual(['agent of a']);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(woken).toEqual(['agent of a', 'agent of b']);
});

it('one that waits is busy, so that it is not let go of; one that is closed is out of the line', async () => {
  const { lanes, woken, closed } = given('a', 'b', 'c');
  expect([lanes.isBusy('b'), lanes.isBusy('x')]).toEqual([true, false]);
  await lanes.closeSession('b');
  lanes.endTurn('a');
  expect(woken).toEqual(['agent of a', 'agent of c']);
  expect(closed).toEqual(['b']);
});
