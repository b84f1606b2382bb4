import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createSpoolBudget, type SpoolShare } from './spool-budget.ts';

const megabyte = 1024 * 1024;
const never = new AbortController().signal;

/** Whether a share was held after everything that could run has run. */
async function watch(share: SpoolShare, sizeBytes: number, signal = never) {
  const state = { isHeld: false };
  share.hold(sizeBytes, signal).then(
    () => {
      state.isHeld = true;
    },
    () => {},
  );
  await setImmediate();
  return state;
}

describe('spool budget', () => {
  it('makes the next wait until one is released, first come, first served', async () => {
    const budget = createSpoolBudget({ budgetBytes: 4 * megabyte, shareBytes: 2 * megabyte });
    const [first, second, third] = [budget.openShare(), budget.openShare(), budget.openShare()];
    await first.hold(2 * megabyte, never);
    const waiting = [await watch(second, megabyte), await watch(third, 2 * megabyte)];
    expect(waiting).toEqual([{ isHeld: false }, { isHeld: false }]);
    first.release();
    await setImmediate();
    expect(waiting).toEqual([{ isHeld: true }, { isHeld: false }]);
    second.release();
    await setImmediate();
    expect(waiting[1]).toEqual({ isHeld: true });
  });

  it('lets shares that wait for each other grow one at a time and so come to their end', async () => {
    const budget = createSpoolBudget({ budgetBytes: 16 * megabyte, shareBytes: 8 * megabyte });
    let heldBytes = 0;
    let mostBytes = 0;
    async function fillShare() {
      const share = budget.openShare();
      for (let step = 1; step <= 32; step += 1) {
        await share.hold((step * megabyte) / 4, never);
        heldBytes += megabyte / 4;
        mostBytes = Math.max(mostBytes, heldBytes);
        await setImmediate();
      }
      heldBytes -= 8 * megabyte;
      share.release();
    }
    await Promise.all(Array.from({ length: 12 }, fillShare));
    expect(mostBytes).toBeGreaterThan(8 * megabyte);
    expect(mostBytes).toBeLessThanOrEqual(16 * megabyte);
  });

  it('forgets one who gives up waiting', async () => {
    const budget = createSpoolBudget({ budgetBytes: 4 * megabyte, shareBytes: 2 * megabyte });
    const [first, second, third] = [budget.openShare(), budget.openShare(), budget.openShare()];
    await first.hold(2 * megabyte, never);
    const abort = new AbortController();
    const gaveUp = second.hold(2 * megabyte, abort.signal);
    const waiting = await watch(third, 2 * megabyte);
    abort.abort(new Error('the client went away'));
    await expect(gaveUp).rejects.toThrow('the client went away');
    first.release();
    await setImmediate();
    expect(waiting).toEqual({ isHeld: true });
  });

  it('gives back what was released twice once', async () => {
    const budget = createSpoolBudget({ budgetBytes: 4 * megabyte, shareBytes: 2 * megabyte });
    const [first, second, third] = [budget.openShare(), budget.openShare(), budget.openShare()];
    await first.hold(2 * megabyte, never);
    first.release();
    first.release();
    await second.hold(2 * megabyte, never);
    expect(await watch(third, megabyte)).toEqual({ isHeld: false });
  });
});
