import { randomFillSync } from 'node:crypto';
import { createSession, putFile, readUploadAnswer, waitUntilInspected } from './product-calls.ts';
import { inMs, type Result } from './result.ts';
import { median, time } from './sample.ts';
import type { Program } from './start-programs.ts';

export type UploadSeries = { label: string; sizeBytes: number; count: number; maxRatio: number };

/** Upload accepted by raw PUT, one request at a time, alternating with the bare program, on random bytes. */
export async function measureUploads(product: Program, bare: Program, series: UploadSeries): Promise<Result> {
  const { label, sizeBytes, count, maxRatio } = series;
  const { session } = await createSession(product.client);
  const bytes = new Uint8Array(sizeBytes);
  const file = { bytes, sizeBytes, mimeType: 'application/octet-stream', name: 'random.bin' };
  const samples = { product: [] as number[], bare: [] as number[] };
  // The first rounds warm both sides and do not count.
  for (let round = -2; round < count; round += 1) {
    randomFillSync(bytes);
    const uploaded = await time(() => putFile(product.client, session.id, file));
    await waitUntilInspected(product.client, readUploadAnswer(uploaded.result).id);
    const written = await time(() => putFile(bare.client, session.id, file));
    if (written.result.status !== 201) throw new Error(`The bare program answered ${written.result.status}.`);
    if (round < 0) continue;
    samples.product.push(uploaded.tookMs);
    samples.bare.push(written.tookMs);
  }
  const ratio = median(samples.product) / median(samples.bare);
  return {
    what: `upload accepted, ${label} (p50 of ${count})`,
    figures: `${ratio.toFixed(2)} x (${inMs(median(samples.product))} / bare ${inMs(median(samples.bare))})`,
    target: `<= ${maxRatio} x`,
    isMissed: ratio > maxRatio,
  };
}
