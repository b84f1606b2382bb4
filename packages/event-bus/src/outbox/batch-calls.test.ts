import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type BatchOptions, createBatch } from './batch-calls.ts';

/** A batch whose calls end on request. */
function createControlled(options?: BatchOptions) {
  const sent: number[][] = [];
  const endings: PromiseWithResolvers<string>[] = [];
  const batch = createBatch<number, string>((items) => {
    sent.push([...items]);
    const ending = Promise.withResolvers<string>();
    endings.push(ending);
    return ending.promise;
  }, options);
  return { batch, sent, endings };
}

describe('createBatch', () => {
  it('sends at once what is added in one turn, and together what comes meanwhile', async () => {
    const { batch, sent, endings } = createControlled();
    const added = [1, 2].map((item) => batch.add(item));
    await Promise.resolve();
    expect(sent).toEqual([[1, 2]]);
    added.push(...[3, 4].map((item) => batch.add(item)));
    endings[0]?.resolve('first');
    expect(await added[0]).toBe('first');
    expect(sent).toEqual([
      [1, 2],
      [3, 4],
    ]);
    endings[1]?.resolve('second');
    expect(await Promise.all(added)).toEqual(['first', 'first', 'second', 'second']);
  });

  it('lets the first one wait for others, for as long as it is told', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { batch, sent, endings } = createControlled({ delayMs: 10 });
    const first = batch.add(1);
    await vi.advanceTimersByTimeAsync(9);
    const second = batch.add(2);
    expect(sent).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(sent).toEqual([[1, 2]]);
    endings[0]?.resolve('sent');
    expect(await Promise.all([first, second])).toEqual(['sent', 'sent']);
  });

  it('tells a failure to those that it concerns, and continues', async () => {
    const { batch, sent, endings } = createControlled({ maxItems: 1 });
    const [first, second] = [batch.add(1), batch.add(2)];
    await Promise.resolve();
    endings[0]?.reject(new Error('down'));
    await expect(first).rejects.toThrow('down');
    endings[1]?.resolve('up');
    expect(await second).toBe('up');
    expect(sent).toEqual([[1], [2]]);
    await batch.flush();
  });

  it('flushes what was added', async () => {
    const { batch, endings } = createControlled();
    await batch.flush();
    const added = batch.add(1);
    let isFlushed = false;
    const flushed = batch.flush().then(() => {
      isFlushed = true;
    });
    await Promise.resolve();
    expect(isFlushed).toBe(false);
    endings[0]?.resolve('sent');
    await Promise.all([added, flushed]);
    expect(isFlushed).toBe(true);
  });
});
