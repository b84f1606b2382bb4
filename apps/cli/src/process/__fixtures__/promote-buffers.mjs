// Once the program that it is loaded into is done: has its heap hold 60 times 8 MiB of buffers, each for long enough to become old and no longer,
// as slow clients and stores do, and prints how often all of the heap was marked.
import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { createContext, runInContext } from 'node:vm';
import { observeMajors } from './observe-majors.mjs';

setFlagsFromString('--expose-gc');
const collect = runInContext('gc', createContext());

async function promoteBuffers() {
  const countMajors = observeMajors();
  const live = Array.from({ length: 300_000 }, (_, at) => ({ at, inner: { text: String(at) } }));
  // The limit of the heap follows from what lives in it now.
  for (const _ of [1, 2, 3]) {
    await setTimeout(100);
    collect();
  }
  await setTimeout(50);
  const before = countMajors();
  for (let wave = 0; wave < 60; wave += 1) {
    let held = Array.from({ length: 128 }, () => Buffer.allocUnsafeSlow(64 * 1024));
    for (const _ of [1, 2]) collect({ type: 'minor' });
    held = held.slice(0, 0);
    await setTimeout(20);
  }
  await setTimeout(50);
  process.stdout.write(`\n${JSON.stringify({ majorCount: countMajors() - before, liveCount: live.length })}`);
}

process.once('beforeExit', promoteBuffers);
