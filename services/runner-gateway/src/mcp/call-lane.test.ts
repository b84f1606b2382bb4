import { expect, it } from 'vitest';
import { createCallLane } from './call-lane.ts';

it('lets some run, some wait in their order, and refuses the others with what to do', async () => {
  const lane = createCallLane({ running: 2, waiting: 3 });
  const gates = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
  const begun: number[] = [];
  const calls = gates.map((gate, index) =>
    lane.run(async () => {
      begun.push(index);
      await gate.promise;
      return index;
    }),
  );
  await expect(lane.run(async () => 'one too many')).rejects.toMatchObject({ code: 'RATE_LIMITED', retryable: true });
  expect(begun).toEqual([0, 1]);
  for (const gate of gates) gate.resolve();
  expect(await Promise.all(calls)).toEqual([0, 1, 2, 3, 4]);
  expect(begun).toEqual([0, 1, 2, 3, 4]);
});

it('gives the place of a call that failed to the next one', async () => {
  const lane = createCallLane({ running: 1, waiting: 1 });
  const failing = lane.run(() => Promise.reject(new Error('failed')));
  const next = lane.run(async () => 'next');
  await expect(failing).rejects.toThrow('failed');
  expect(await next).toBe('next');
  expect(await lane.run(async () => 'later')).toBe('later');
});
