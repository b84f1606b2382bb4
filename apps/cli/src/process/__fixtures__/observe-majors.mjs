import { constants, PerformanceObserver } from 'node:perf_hooks';

/** Returns how often all of the heap has been marked since. The observer has its turn between two tasks. */
export function observeMajors() {
  let majorCount = 0;
  const observer = new PerformanceObserver((list) => {
    const majors = list.getEntries().filter(({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR);
    majorCount += majors.length;
  });
  observer.observe({ entryTypes: ['gc'] });
  return () => majorCount;
}
