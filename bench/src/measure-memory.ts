import { randomFillSync } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { createSession, putFile, readUploadAnswer, waitUntilInspected } from './product-calls.ts';
import type { Result } from './result.ts';
import { pause } from './sample.ts';
import type { Program } from './start-programs.ts';

const SIZE_BYTES = 200_000_000;
const CHUNK_BYTES = 1_000_000;
const MAX_RISE_BYTES = 32 * 1024 * 1024;
const LOOK_MS = 5;

/** Resident bytes of a process now. */
export async function readResidentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

function streamRandomBytes(): Readable {
  const chunk = randomFillSync(new Uint8Array(CHUNK_BYTES));
  return Readable.from(
    (function* chunks() {
      for (let sent = 0; sent < SIZE_BYTES; sent += CHUNK_BYTES) yield new Uint8Array(chunk);
    })(),
    { objectMode: true, highWaterMark: 1 },
  );
}

async function watchPeak(pid: number, work: Promise<unknown>): Promise<number> {
  let isOver = false;
  const over = work.finally(() => {
    isOver = true;
  });
  let peak = await readResidentBytes(pid);
  while (!isOver) {
    peak = Math.max(peak, await readResidentBytes(pid));
    await pause(LOOK_MS);
  }
  await over;
  return peak;
}

const inMb = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MB`;

/** How far the memory of a product that has seen such an upload before rises during one of 200 MB, and how much of it stays. */
export async function measureMemory(product: Program): Promise<Result> {
  const { session } = await createSession(product.client);
  const upload = async () => {
    const file = { sizeBytes: SIZE_BYTES, mimeType: 'application/octet-stream', name: 'large.bin' };
    const answer = await putFile(product.client, session.id, { ...file, bytes: streamRandomBytes() });
    await waitUntilInspected(product.client, readUploadAnswer(answer).id);
  };
  await upload();
  const before = await readResidentBytes(product.pid);
  const peak = await watchPeak(product.pid, upload());
  const after = await readResidentBytes(product.pid);
  return {
    what: 'memory of the product, one upload of 200 MB',
    figures: `+${inMb(peak - before)} at most, ${after < before ? '' : '+'}${inMb(after - before)} after (from ${inMb(before)})`,
    target: `< ${inMb(MAX_RISE_BYTES)}`,
    isMissed: peak - before >= MAX_RISE_BYTES,
  };
}
