import { expect, it } from 'vitest';
import { createSlots } from './slots.ts';

const never = new AbortController().signal;

it('runs no more tasks at once than it has slots, first come first served [DL-81]', async () => {
  const slots = createSlots(2);
  const log: string[] = [];
  const finish: (() => void)[] = [];
  const start = (name: string) =>
    slots.use(never, async () => {
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

it('lets a waiting task be given up without losing its slot [DL-81]', async () => {
  const slots = createSlots(1);
  const first = Promise.withResolvers<void>();
  const running = slots.use(never, () => first.promise);
  const giveUp = new AbortController();
  const waiting = slots.use(giveUp.signal, async () => 'never');
  const last = slots.use(never, async () => 'last');
  giveUp.abort(new Error('attachment removed'));
  await expect(waiting).rejects.toThrow('attachment removed');
  first.resolve();
  await running;
  expect(await last).toBe('last');
});

it('frees the slot of a task that fails', async () => {
  const slots = createSlots(1);
  await expect(slots.use(never, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await slots.use(never, async () => 'yes')).toBe('yes');
});
