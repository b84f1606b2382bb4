import { expect, it } from 'vitest';
import { createSlots, type Seeker } from './slots.ts';

/** Slots of a gateway whose processes the test starts and ends. */
function given(maxAgents: number, memory = { room: Number.POSITIVE_INFINITY }) {
  const processes = new Set<string>();
  const stopped: string[] = [];
  const told: string[] = [];
  let waitCount = 0;
  const slots = createSlots({
    maxAgents,
    readMemoryRoom: () => memory.room,
    hasProcess: (agentId) => processes.has(agentId),
    stop: (agentId) => void stopped.push(agentId),
    onWaiting() {
      waitCount += 1;
    },
  });
  const seek = (name: string): Seeker => ({
    tenantId: name.slice(0, 1),
    sessionId: `session of ${name}`,
    agentId: name,
  });
  const take = (name: string) => slots.take(seek(name), () => void told.push(name));
  const run = (name: string) => {
    expect(take(name)).toBe(true);
    slots.use(seek(name));
    processes.add(name);
  };
  const end = (name: string) => {
    processes.delete(name);
    slots.look();
  };
  return { slots, processes, stopped, told, take, run, end, waits: () => waitCount };
}

it('are as many as were said: who finds none waits, and hears of it when an agent has ended [DL-52]', () => {
  const { slots, take, run, end, told, stopped, waits } = given(2);
  run('a1');
  run('a2');
  expect(slots.readRoom()).toBe(0);
  expect(take('a3')).toBe(false);
  expect(take('a3')).toBe(false);
  expect([waits(), slots.readRoom()]).toEqual([1, -1]);
  expect(slots.waiting()).toEqual([{ tenantId: 'a', sessionId: 'session of a3', agentId: 'a3' }]);
  // One that works is not ended for others.
  expect(stopped).toEqual([]);
  slots.rest('a1');
  expect(stopped).toEqual(['a1']);
  end('a1');
  expect(told).toEqual(['a3']);
  expect(take('a3')).toBe(true);
});

it('go to the tenant that holds the fewest; of one tenant to whoever has waited longest [DL-52 BX-27]', () => {
  const { slots, take, run, end, told } = given(3);
  for (const name of ['a1', 'a2', 'b1']) run(name);
  for (const name of ['a3', 'a4', 'b2', 'c1']) expect(take(name)).toBe(false);
  for (const name of ['a1', 'a2', 'b1']) {
    slots.rest(name);
    end(name);
  }
  expect(told).toEqual(['c1', 'a3', 'b2']);
});

it('go round among tenants where there is one alone, whoever came first [BX-27]', () => {
  const { slots, take, run, end, told, processes } = given(1);
  run('a1');
  for (const name of ['a2', 'a3', 'a4', 'b1', 'b2']) expect(take(name)).toBe(false);
  let present = 'a1';
  for (let count = 0; count < 5; count += 1) {
    slots.rest(present);
    end(present);
    present = told.at(-1) ?? '';
    slots.use({ tenantId: present.slice(0, 1), sessionId: `session of ${present}`, agentId: present });
    processes.add(present);
  }
  expect(told).toEqual(['b1', 'a2', 'b2', 'a3', 'a4']);
});

it('of resting agents are freed for those that wait: first that of the tenant with the most, which rested longest', () => {
  const { slots, take, run, end, stopped, told } = given(3);
  for (const name of ['b1', 'a1', 'a2']) run(name);
  for (const name of ['b1', 'a2', 'a1']) slots.rest(name);
  expect([slots.readRoom(), stopped]).toEqual([3, []]);
  expect(take('c1')).toBe(false);
  expect(stopped).toEqual(['a2']);
  expect(take('c2')).toBe(false);
  expect(stopped).toHaveLength(2);
  end('a2');
  expect(told).toEqual(['c1']);
});

it('are given back by who never started, and by who waits no more', () => {
  const { slots, take, told } = given(1);
  expect(take('a1')).toBe(true);
  expect(take('a2')).toBe(false);
  expect(take('a3')).toBe(false);
  slots.forget('a2');
  slots.forget('a1');
  expect(told).toEqual(['a3']);
  expect(slots.isIn('session of a3')).toBe(true);
  slots.forget('a3');
  expect([slots.isIn('session of a3'), slots.readRoom()]).toEqual([false, 1]);
});

it('end with a process that ends by itself, and stay while its agent is worked on', () => {
  const { slots, run, end, take } = given(1);
  run('a1');
  end('a1');
  expect(take('a2')).toBe(false);
  expect(take('a1')).toBe(true);
  slots.rest('a1');
  expect(take('a2')).toBe(true);
});

it('are no more than memory has room for, but one: then a resting agent ends, too', () => {
  const memory = { room: 0 };
  const { slots, run, take, told, stopped, end } = given(Number.POSITIVE_INFINITY, memory);
  expect(slots.readRoom()).toBe(1);
  run('a1');
  expect([slots.readRoom(), take('b1')]).toEqual([0, false]);
  memory.room = 1;
  slots.look();
  expect(told).toEqual(['b1']);
  memory.room = 0;
  slots.rest('a1');
  expect(take('c1')).toBe(false);
  expect(stopped).toEqual(['a1']);
  end('a1');
  // Its memory is not free yet.
  expect(told).toEqual(['b1']);
});

it('of a tenant that runs as many agents as it may are freed one at a time', () => {
  const { slots, run, stopped, end } = given(5);
  for (const name of ['a1', 'a2', 'b1']) {
    run(name);
    slots.rest(name);
  }
  slots.makeRoom('a');
  slots.makeRoom('a');
  expect(stopped).toEqual(['a1']);
  end('a1');
  slots.makeRoom('a');
  slots.makeRoom('c');
  expect(stopped).toEqual(['a1', 'a2']);
});

it('let a resting agent be worked on again that was about to end', () => {
  const { slots, run, take, stopped, processes } = given(1);
  run('a1');
  slots.rest('a1');
  expect(take('b1')).toBe(false);
  expect(stopped).toEqual(['a1']);
  // Its next message came first: it gets a process of its own in the same slot.
  slots.use({ tenantId: 'a', sessionId: 'session of a1', agentId: 'a1' });
  processes.delete('a1');
  slots.look();
  expect(slots.isIn('session of a1')).toBe(true);
});
