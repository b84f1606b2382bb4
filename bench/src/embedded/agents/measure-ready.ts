import { drawNoise } from '../../inputs/draw-pictures.ts';
import { followEvents } from '../../product/follow-events.ts';
import { createSession, putFile, readUpload } from '../../product/product-calls.ts';
import type { Result } from '../../report/result.ts';
import { pause, percentile, summarise } from '../../report/sample.ts';
import type { EmbeddedBench } from '../bench.ts';

const ROUNDS = 40;
const WARM_ROUNDS = 3;
const SIZE_BYTES = 1_000_000;
const MAX_MS = 60;
// A preview is made behind `ready`; the next upload meets a program at rest.
const REST_MS = 150;

/** From the answer to an upload until a follower knows that the file was inspected: a picture with much to decode. */
export async function measureReady({ product: { client }, counted, say }: EmbeddedBench): Promise<Result[]> {
  say('  ready');
  const { session } = await createSession(client);
  const followed = await followEvents(client, session.id);
  const times: number[] = [];
  try {
    for (let round = -WARM_ROUNDS; round < counted(ROUNDS); round += 1) {
      const bytes = await drawNoise(SIZE_BYTES);
      const file = { bytes, sizeBytes: bytes.byteLength, mimeType: 'image/png', name: 'noise.png' };
      const { attachment } = readUpload(await putFile(client, session.id, file));
      const acceptedAt = performance.now();
      const readyAt = await followed.arrival('attachment.ready', attachment.id, 'attachment.rejected');
      if (round >= 0) times.push(readyAt - acceptedAt);
      await pause(REST_MS);
    }
  } finally {
    followed.stop();
  }
  const what = 'upload accepted to ready, a PNG of 1 MB';
  return [
    { what, unit: 'ms', product: summarise(times), target: { of: 'product', atMost: MAX_MS } },
    { what: `${what}, p90 of ${times.length}`, unit: 'ms', product: summarise([percentile(times, 0.9)]) },
  ];
}
