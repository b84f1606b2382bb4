// Once the program that it is loaded into is done: has its heap hold 60 times 8 MiB of buffers, each for long enough to become old and no longer,
// as slow clients and stores do, and prints how often all of the heap was marked.
import { setTimeout } from 'node:timers/promises';
import { observeMajors } from './observe-majors.mjs';

async function promoteBuffers() {
  const countMajors = await observeMajors();
  for (let wave = 0; wave < 60; wave += 1) {
    let held = Array.from({ length: 128 }, () => Buffer.allocUnsafeSlow(64 * 1024));
    for (const _ of [1, 2]) globalThis.gc({ type: 'minor' });
    held = held.slice(0, 0);
    await setTimeout(20);
  }
  process.stdout.write(`\n${JSON.stringify(await countMajors())}`);
}

process.once('beforeExit', promoteBuffers);
