import { streamRandomBytes } from '../inputs/random-bodies.ts';
import { measureOwnRise } from '../processes/process-cost.ts';
import { createSession, putFile, readUpload, waitUntilInspected } from '../product/product-calls.ts';
import type { Result } from '../report/result.ts';
import { summarise } from '../report/sample.ts';
import type { EmbeddedBench } from './bench.ts';

const SIZE_BYTES = 200_000_000;
const MEBIBYTE = 1024 * 1024;
const MAX_RISE_MB = 32;
// When the garbage of earlier work goes is chance, so one round says little.
const ROUNDS = 3;

/** How far the memory of a product that has seen such an upload before rises during one of 200 MB. */
export async function measureMemory({ product, say }: EmbeddedBench): Promise<Result[]> {
  say('  memory');
  const { session } = await createSession(product.client);
  const upload = async () => {
    const file = { sizeBytes: SIZE_BYTES, mimeType: 'application/octet-stream', name: 'large.bin' };
    const answer = await putFile(product.client, session.id, { ...file, bytes: streamRandomBytes(SIZE_BYTES) });
    await waitUntilInspected(product.client, readUpload(answer).attachment.id);
  };
  await upload();
  const rises: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) rises.push((await measureOwnRise(product.pid, upload)) / MEBIBYTE);
  return [
    {
      what: 'rise of the memory of the product, one upload of 200 MB',
      unit: 'MB',
      product: summarise(rises),
      target: { of: 'product', atMost: MAX_RISE_MB },
    },
  ];
}
