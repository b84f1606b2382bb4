import type { Attachment } from '@attache/contracts';
import { defaultMediaPoolOptions } from '@attache/media';
import { makeRandomBytes } from '../../inputs/random-bodies.ts';
import type { HttpClient } from '../../product/http-client.ts';
import { createSession, parseAnswer, putFile, readUpload, waitUntilInspected } from '../../product/product-calls.ts';
import { compare, type Result } from '../../report/result.ts';
import { pause, percentile, type Sides, summarise, time } from '../../report/sample.ts';
import type { EmbeddedBench } from '../bench.ts';
import {
  openPlace,
  type Panorama,
  type Place,
  sendPanoramas,
  storePanorama,
  storePanoramas,
} from './variant-backlog.ts';

const UPLOADS = 200;
const PICTURES = 40;
const SIZE_BYTES = 100_000;
const REST_MS = 15;
const MAX_RATIO = 2;
const AGAIN = 4;

async function uploadOnce(client: HttpClient, sessionId: string): Promise<{ id: string; tookMs: number }> {
  const bytes = makeRandomBytes(SIZE_BYTES);
  const file = { bytes, sizeBytes: SIZE_BYTES, mimeType: 'application/octet-stream', name: 'random.bin' };
  const { result, tookMs } = await time(() => putFile(client, sessionId, file));
  return { id: readUpload(result).attachment.id, tookMs };
}

/** Uploads one at a time, each to a program at rest. */
async function uploadAtRest(client: HttpClient, sessionId: string, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const { id, tookMs } = await uploadOnce(client, sessionId);
    await waitUntilInspected(client, id);
    times.push(tookMs);
  }
  return times;
}

/** The same with a short rest in between: what inspects them has other work. */
async function uploadMeanwhile(client: HttpClient, sessionId: string, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < count; index += 1) {
    times.push((await uploadOnce(client, sessionId)).tookMs);
    await pause(REST_MS);
  }
  return times;
}

/** Sends some of the pictures once more, and one as a new upload of another session. Throws if a second variant came of it. */
async function checkMadeOnce(client: HttpClient, place: Place, panoramas: readonly Panorama[]): Promise<void> {
  const elsewhere = await openPlace(client, 1);
  try {
    const bytes = panoramas[0]?.bytes ?? Buffer.alloc(0);
    const again = await storePanorama(client, elsewhere.session.id, bytes);
    await (await sendPanoramas(client, elsewhere, [again])).waitUntilDrained();
    await (await sendPanoramas(client, place, panoramas.slice(0, AGAIN))).waitUntilDrained();
    const variantIds: string[] = [];
    for (const { attachment } of [again, ...panoramas]) variantIds.push(...(await listVariants(client, attachment.id)));
    const kinds = new Set(variantIds).size;
    if (kinds !== panoramas.length || variantIds.length !== panoramas.length + 1) {
      throw new Error(`${kinds} variants, named ${variantIds.length} times, of ${panoramas.length} pictures.`);
    }
  } finally {
    elsewhere.followed.stop();
  }
}

/** Those for an agent; a preview is none. */
async function listVariants(client: HttpClient, attachmentId: string): Promise<string[]> {
  const answer = await client.send({ method: 'GET', path: `/attachments/${attachmentId}` });
  const { variants } = parseAnswer<{ attachment: Attachment }>(answer, 200).attachment;
  return variants.filter(({ purpose }) => purpose === 'inline-image').map(({ id }) => id);
}

async function uploadBesideVariants({ product: { client }, counted }: EmbeddedBench): Promise<Sides<number[]>> {
  const { session } = await createSession(client);
  const place = await openPlace(client, counted(PICTURES));
  try {
    const panoramas = await storePanoramas(client, place.session.id, counted(PICTURES));
    const half = counted(UPLOADS) / 2;
    const before = await uploadAtRest(client, session.id, Math.floor(half));
    const backlog = await sendPanoramas(client, place, panoramas);
    const product = await uploadMeanwhile(client, session.id, counted(UPLOADS));
    const left = backlog.countLeft();
    if (left <= defaultMediaPoolOptions.workers) throw new Error(`Only ${left} variants were left at the end.`);
    await backlog.waitUntilDrained();
    const after = await uploadAtRest(client, session.id, Math.ceil(half));
    await checkMadeOnce(client, place, panoramas);
    return { product, floor: [...before, ...after] };
  } finally {
    place.followed.stop();
  }
}

/** Uploads while every worker makes variants and more wait, against the same uploads when nothing else is to be done. */
export async function measureBacklog(bench: EmbeddedBench): Promise<Result[]> {
  bench.say('  uploads beside variants');
  const samples = await uploadBesideVariants(bench);
  const p99 = (times: readonly number[]) => [percentile(times, 0.99)];
  const what = `upload accepted, 100 kB, while ${bench.counted(PICTURES)} messages wait for a variant each`;
  return [
    compare({ what, unit: 'ms', floorIs: 'idle' }, samples),
    {
      what: `${what}, p99 of ${samples.product.length}`,
      unit: 'ms',
      product: summarise(p99(samples.product)),
      floor: summarise(p99(samples.floor)),
      floorIs: `p99 of ${samples.floor.length}, idle`,
      target: { of: 'ratio', atMost: MAX_RATIO },
    },
  ];
}
