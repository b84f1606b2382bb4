import type { AgentRow, OtherGateway } from '@attache/database';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createOtherGateways } from './other-gateways.ts';
import { createPlacement } from './placement.ts';
import { createSlots } from './slots.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const agentOf = (id: string, profile = 'here') => ({ id, profile }) as AgentRow;
const sessionOf = (id: string) => ({ tenantId: 't', sessionId: `session of ${id}` });
const gateway = (name: string, given: Partial<OtherGateway> = {}): OtherGateway => ({
  ...{ replicaId: name, incarnation: `incarnation of ${name}`, room: 1, programs: ['here'], atLimit: [] },
  ...given,
});

/** A placement whose database admits what the test says. */
function given({ maxAgents = 1, isShared = true } = {}) {
  const processes = new Set<string>();
  const sent: string[] = [];
  const woken: string[] = [];
  const stopped: string[] = [];
  const state = { answer: 'admitted', programs: ['here'], installed: ['here'], stay: false };
  const slots = createSlots({
    maxAgents,
    readMemoryRoom: () => Number.POSITIVE_INFINITY,
    hasProcess: (agentId) => processes.has(agentId),
    stop: (agentId) => void stopped.push(agentId),
    onWaiting() {},
  });
  const placement = createPlacement({
    ...{ slots, isShared, others: createOtherGateways(), onlyTenant: undefined },
    readPrograms: () => state.programs,
    async lookForPrograms() {
      state.programs = state.installed;
    },
    db: { call: async () => state.answer } as never,
    ownership: { step: (_session: unknown, work: (fence: unknown) => unknown) => work({}) } as never,
    async send({ sessionId }, replicaId) {
      sent.push(`${sessionId} to ${replicaId}`);
      return !state.stay;
    },
  });
  const admit = (id: string, profile?: string) =>
    placement.admit(sessionOf(id), agentOf(id, profile), () => void woken.push(id));
  const run = async (id: string) => {
    expect(await admit(id)).toBe(true);
    placement.begin(sessionOf(id), id);
    processes.add(id);
  };
  return { placement, admit, run, sent, woken, stopped, state, processes };
}

it('sends what waits to a gateway that has room, and no more than that one has [BX-16]', async () => {
  const { placement, admit, run, sent } = given();
  await run('a');
  for (const id of ['b', 'c', 'd']) expect(await admit(id)).toBe(false);
  placement.learn([gateway('full', { room: 0 }), gateway('of another', { onlyTenant: 'u', room: 9 })]);
  expect(sent).toEqual([]);
  placement.learn([gateway('roomy', { room: 2 })]);
  expect(sent).toEqual(['session of b to roomy', 'session of c to roomy']);
  // Those two wait here no more.
  expect(placement.describe()).toEqual({ room: -1, programs: ['here'], onlyTenant: undefined, atLimit: [] });
});

it('has an agent ask again whose session stays after all', async () => {
  const { placement, admit, run, state, woken } = given();
  await run('a');
  expect(await admit('b')).toBe(false);
  state.stay = true;
  placement.learn([gateway('roomy')]);
  await Promise.resolve();
  await Promise.resolve();
  expect(woken).toEqual(['b']);
  expect(await admit('b')).toBe(false);
  expect(placement.countWaiting()).toBe(1);
});

it('sends no session of which an agent runs here', async () => {
  const { placement, run, sent } = given();
  await run('a');
  const other = { ...sessionOf('a') };
  expect(await placement.admit(other, agentOf('second of a'), () => undefined)).toBe(false);
  placement.learn([gateway('roomy')]);
  expect(sent).toEqual([]);
});

it('sends a session to a gateway that has its program, to a full one where no other has it [BX-16]', async () => {
  const { admit, placement, sent } = given();
  placement.learn([gateway('without'), gateway('full', { programs: ['there'], room: 0 })]);
  expect(await admit('a', 'there')).toBe(false);
  expect(sent).toEqual(['session of a to full']);
  placement.learn([gateway('full', { programs: ['there'], room: 0 }), gateway('roomy', { programs: ['there'] })]);
  expect(await admit('b', 'there')).toBe(false);
  expect(sent.at(-1)).toBe('session of b to roomy');
});

it('lets an agent whose program no gateway has wait, and asks again when one comes or after half a minute', async () => {
  const { admit, placement, woken, sent } = given();
  expect(await admit('a', 'nowhere')).toBe(false);
  placement.learn([gateway('without')]);
  expect(woken).toEqual([]);
  placement.learn([gateway('with', { programs: ['nowhere'] })]);
  expect(woken).toEqual(['a']);
  expect(await admit('a', 'nowhere')).toBe(false);
  expect(sent).toEqual(['session of a to with']);
  placement.learn([]);
  vi.advanceTimersByTime(30_001);
  placement.learn([]);
  expect(woken).toEqual(['a', 'a']);
  // Its start then reports the missing program.
  expect(await admit('a', 'nowhere')).toBe(true);
});

it('looks at once whether a program has come to this machine meanwhile', async () => {
  const { admit, state, woken } = given();
  state.installed = ['here', 'new'];
  expect(await admit('a', 'new')).toBe(false);
  await Promise.resolve();
  expect(woken).toEqual(['a']);
  expect(await admit('a', 'new')).toBe(true);
});

it('does not wait for a program where there is no other gateway to come', async () => {
  const { admit } = given({ isShared: false });
  expect(await admit('a', 'nowhere')).toBe(true);
});

it('asks again each second for one of a tenant that runs as many as it may, and tells the others', async () => {
  const { admit, placement, woken, state, run, stopped, processes } = given({ maxAgents: 9 });
  await run('r');
  placement.end('r');
  state.answer = 'full';
  expect(await admit('a')).toBe(false);
  expect(await admit('b')).toBe(false);
  // Its own resting agent makes room first.
  expect(stopped).toEqual(['r']);
  expect(placement.describe().atLimit).toEqual(['t']);
  expect(placement.countWaiting()).toBe(2);
  vi.advanceTimersByTime(2_000);
  expect(woken).toEqual(['a', 'a']);
  processes.delete('r');
  placement.noteEnded('t');
  expect(woken).toEqual(['a', 'a', 'a']);
  state.answer = 'admitted';
  expect(await admit('a')).toBe(true);
  placement.forget('b');
  expect(placement.countWaiting()).toBe(0);
  vi.advanceTimersByTime(5_000);
  expect(woken).toHaveLength(3);
});

it('ends a resting agent of a tenant that is at its limit elsewhere', async () => {
  const { run, placement, stopped } = given({ maxAgents: 9 });
  await run('r');
  placement.end('r');
  placement.learn([gateway('other', { atLimit: ['u'] })]);
  expect(stopped).toEqual([]);
  placement.learn([gateway('other', { atLimit: ['t'] })]);
  expect(stopped).toEqual(['r']);
});

it('finds a better gateway for a session that nobody owns, where it has no room or not its program', async () => {
  const { placement, run } = given();
  placement.learn([gateway('roomy', { programs: ['here', 'there'] })]);
  expect(placement.isByProgram()).toBe(true);
  expect(placement.findBetter('t', 'here')).toBeUndefined();
  expect(placement.findBetter('t', 'there')?.replicaId).toBe('roomy');
  placement.learn([gateway('roomy')]);
  expect(placement.isByProgram()).toBe(false);
  await run('a');
  expect(placement.isLastChoice()).toBe(true);
  expect(placement.findBetter('t', undefined)?.replicaId).toBe('roomy');
  // That one has been sent as many as it has room for.
  expect(placement.findBetter('t', undefined)).toBeUndefined();
  expect(placement.isLastChoice()).toBe(false);
});

it('admits nothing in a session that another gateway has', async () => {
  const { admit, state } = given();
  state.answer = 'ownership-lost';
  await expect(admit('a')).rejects.toMatchObject({ code: 'OWNERSHIP_LOST' });
});
