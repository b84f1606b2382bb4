import { conversingAgent, startPickyModel } from '@attache/test-harness';
import { drawNoise } from '../../inputs/draw-pictures.ts';
import { followEvents } from '../../product/follow-events.ts';
import {
  createSession,
  endSession,
  putFile,
  readUploadAnswer,
  sendMessage,
  waitUntilInspected,
} from '../../product/product-calls.ts';
import { compare, type Result } from '../../report/result.ts';
import { interleave, pause } from '../../report/sample.ts';
import type { EmbeddedBench } from '../bench.ts';
import { type Product, startProductWith } from '../start-programs.ts';
import { SETTLE_MS } from './measure-checkpoints.ts';

const PICTURE_BYTES = 50_000;
const TURNS = 40;
const MODEL = 'claude-sonnet-5';

/** How long after a turn the next one comes, and the state of the first one's checkpoint then. */
const moments = [
  { pauseMs: 2 * SETTLE_MS, where: 'three seconds after the one before' },
  { pauseMs: SETTLE_MS, where: 'as the checkpoint of the one before begins' },
];

type Moment = (typeof moments)[number];

async function openTalk(product: Product, profile: string, { pauseMs }: Moment) {
  const { client } = product;
  const { session, agent } = await createSession(client, { profile, model: MODEL });
  const followed = await followEvents(client, session.id);
  return {
    async takeTurn(): Promise<number> {
      const bytes = await drawNoise(PICTURE_BYTES);
      const file = { bytes, sizeBytes: bytes.length, mimeType: 'image/png', name: 'noise.png' };
      const uploaded = readUploadAnswer(await putFile(client, session.id, file));
      await waitUntilInspected(client, uploaded.id);
      await pause(pauseMs);
      const message = { to: [agent.id], text: 'Look.', attachmentIds: [uploaded.id] };
      const sentAt = performance.now();
      const { id } = await sendMessage(client, session.id, message);
      return (await followed.arrival('delivery.responded', id, 'delivery.failed')) - sentAt;
    },
    async end() {
      followed.stop();
      await endSession(client, session.id);
    },
  };
}

/** The cost of a checkpoint for the turn after it, with an agent that answers at once: turns of others' programs differ by more than this cost. */
export async function measureCheckpointTurns({
  say,
  counted,
}: Pick<EmbeddedBench, 'say' | 'counted'>): Promise<Result[]> {
  await using started = new AsyncDisposableStack();
  const model = await startPickyModel();
  started.defer(() => model.stop());
  const endpoint = { api: 'anthropic', baseUrl: model.url, apiKey: 'env:PATH' };
  const command = [process.execPath, conversingAgent, 'claude-agent-acp'];
  const program = { runtime: 'acp', command, ownTools: 'none', provider: 'anthropic', model: MODEL, endpoint };
  const product = await startProductWith({
    kept: program,
    without: { ...program, limits: { checkpointBytes: 0 } },
  });
  started.defer(() => product.stop());
  const results: Result[] = [];
  for (const moment of moments) {
    say(`  turns ${moment.where}`);
    const [kept, without] = [await openTalk(product, 'kept', moment), await openTalk(product, 'without', moment)];
    const samples = await interleave(
      { warm: 3, counted: counted(TURNS) },
      { product: () => kept.takeTurn(), floor: () => without.takeTurn() },
    );
    await Promise.all([kept.end(), without.end()]);
    const what = `sent to responded, a picture of 50 kB, ${moment.where}`;
    const target = { of: 'ratio', atMost: 1.05 } as const;
    results.push(compare({ what, unit: 'ms', floorIs: 'without checkpoints', target }, samples));
  }
  return results;
}
