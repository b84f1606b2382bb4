// Passes a gibibyte through a heap as an upload does, in buffers that are soon garbage, and prints how often all of the heap was marked.
import { constants, PerformanceObserver } from 'node:perf_hooks';
import { setImmediate, setTimeout } from 'node:timers/promises';

const [flags] = process.argv.slice(2);
if (flags !== undefined) (await import(flags)).setHeapFlags();

const CHUNK_BYTES = 64 * 1024;
const CHUNKS = 16 * 1024;

let majorCount = 0;
const observer = new PerformanceObserver((list) => {
  for (const { detail } of list.getEntries()) if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) majorCount += 1;
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
process.stdout.write(JSON.stringify({ majorCount: majorCount - before, liveCount: live.length }));
