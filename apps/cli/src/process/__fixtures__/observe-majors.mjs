import { constants, PerformanceObserver } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';

/** Fills a heap with objects that stay, has V8 set its limit by them, and returns how often all of it is marked from then on. */
export async function observeMajors() {
  const live = Array.from({ length: 600_000 }, (_, at) => ({ at, inner: { text: String(at) } }));
  for (const _ of [1, 2, 3]) {
    await setTimeout(100);
    globalThis.gc();
  }
  await setTimeout(50);
  let majorCount = 0;
  const observer = new PerformanceObserver((list) => {
    const majors = list.getEntries().filter(({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR);
    majorCount += majors.length;
  });
  observer.observe({ entryTypes: ['gc'] });
  return async () => {
    await setTimeout(50);
    return { majorCount, liveCount: live.length };
  };
}
