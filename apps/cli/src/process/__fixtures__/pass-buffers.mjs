// Once the program that it is loaded into is done: passes a gibibyte through its heap as an upload does, in buffers that are soon garbage,
// and prints how often all of the heap was marked.
import { constants, PerformanceObserver } from 'node:perf_hooks';
import { setImmediate, setTimeout } from 'node:timers/promises';

const CHUNK_BYTES = 64 * 1024;
const CHUNKS = 16 * 1024;

async function passBuffers() {
  let majorCount = 0;
  const observer = new PerformanceObserver((list) => {
    const majors = list.getEntries().filter(({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR);
    majorCount += majors.length;
  });
  observer.observe({ entryTypes: ['gc'] });
  const live = Array.from({ length: 300_000 }, (_, at) => ({ at, inner: { text: String(at) } }));
  await setTimeout(50);
  const before = majorCount;
  for (let sent = 0; sent < CHUNKS; sent += 1) {
    const chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
    chunk[0] = Array.from({ length: 20 }, (_, at) => ({ at })).length;
    // The observer has its turn.
    if (sent % 64 === 0) await setImmediate();
  }
  await setTimeout(50);
  process.stdout.write(`\n${JSON.stringify({ majorCount: majorCount - before, liveCount: live.length })}`);
}

process.once('beforeExit', passBuffers);
