import { expect, it, vi } from 'vitest';
import { watchMemory } from './watch-memory.ts';

it('a process that has held too much is seen at the last look, whatever the looks before have missed, and once', () => {
  let peakBytes = 10;
  const onExceeded = vi.fn();
  const watch = watchMemory({ peakBytes: () => peakBytes }, 100, onExceeded);
  watch.look();
  expect(onExceeded).not.toHaveBeenCalled();
  peakBytes = 101;
  watch.look();
  watch.look();
  watch.stop();
  expect(onExceeded).toHaveBeenCalledOnce();
});
