// Once the program that it is loaded into is done: passes a gibibyte through its heap as an upload does, in buffers that are soon garbage,
// and prints how often all of the heap was marked.
import { setImmediate } from 'node:timers/promises';
import { observeMajors } from './observe-majors.mjs';

const CHUNK_BYTES = 64 * 1024;
const CHUNKS = 16 * 1024;

async function passBuffers() {
  const countMajors = await observeMajors();
  for (let sent = 0; sent < CHUNKS; sent += 1) {
    const chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
    chunk[0] = Array.from({ length: 20 }, (_, at) => ({ at })).length;
    if (sent % 64 === 0) await setImmediate();
  }
  process.stdout.write(`\n${JSON.stringify(await countMajors())}`);
}

process.once('beforeExit', passBuffers);
