import { randomFillSync } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { createSession, putFile, readUploadAnswer, waitUntilInspected } from './product-calls.ts';
import type { Result } from './result.ts';
import { median, pause } from './sample.ts';
import type { Program } from './start-programs.ts';

const SIZE_BYTES = 200_000_000;
const CHUNK_BYTES = 1_000_000;
const MAX_RISE_BYTES = 32 * 1024 * 1024;
const LOOK_MS = 5;
// When the garbage of earlier work goes is chance, so one round says little.
const ROUNDS = 3;

/** Memory of a process's own, now. Pages of files, its program among them, are left out: the kernel takes and brings them as it likes. */
export async function readOwnBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
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
  let peak = await readOwnBytes(pid);
  while (!isOver) {
    peak = Math.max(peak, await readOwnBytes(pid));
    await pause(LOOK_MS);
  }
  await over;
  return peak;
}

const inMb = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MB`;

/** How far the memory of a product that has seen such an upload before rises during one of 200 MB. */
export async function measureMemory(product: Program): Promise<Result> {
  const { session } = await createSession(product.client);
  const upload = async () => {
    const file = { sizeBytes: SIZE_BYTES, mimeType: 'application/octet-stream', name: 'large.bin' };
    const answer = await putFile(product.client, session.id, { ...file, bytes: streamRandomBytes() });
    await waitUntilInspected(product.client, readUploadAnswer(answer).id);
  };
  await upload();
  const rises: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = await readOwnBytes(product.pid);
    rises.push((await watchPeak(product.pid, upload())) - before);
  }
  const rise = median(rises);
  return {
    what: `memory of the product, one upload of 200 MB (p50 of ${ROUNDS})`,
    figures: `+${inMb(rise)} at its peak (${rises.map(inMb).join(', ')})`,
    target: `< ${inMb(MAX_RISE_BYTES)}`,
    isMissed: rise >= MAX_RISE_BYTES,
  };
}
