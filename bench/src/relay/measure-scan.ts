import { judgeBody } from '@attache/model-relay/judge-body';
import { judgeFields } from '@attache/model-relay/judge-fields';
import { decodeFiles, parseBody } from '../../floors/steps/read-body.ts';
import type { EmbeddedBench } from '../embedded/bench.ts';
import { compare, type Result } from '../report/result.ts';
import { interleave } from '../report/sample.ts';
import { describeTextBodies, makePictureBody, makeSmallBlocks } from './request-bodies.ts';

const ROUNDS = 20;
const WARM_ROUNDS = 15;
/** As a socket hands it over. */
const CHUNK_BYTES = 64 * 1024;
const PICTURES = [1, 8, 200];
const MAX_PICTURE_RATIO = 1.5;
const MAX_TEXT_RATIO = 1;
const MAX_GROWTH = 1.5;
const FEW_BLOCKS = 800;
/** A request of more than 8,192 is not read. */
const MANY_BLOCKS = 4_000;

type Rounds = Pick<EmbeddedBench, 'counted' | 'say'>;

/** The cost of the relay's scan of a request, against the least work with the same result. Processor time, the passes for model and fields included. */
export async function measureScan({ counted, say }: Rounds): Promise<Result[]> {
  say('  scan');
  const rounds = { warm: WARM_ROUNDS, counted: counted(ROUNDS) };
  const results: Result[] = [];
  for (const count of PICTURES) results.push(await measurePictures(rounds, count));
  for (const [name, body] of Object.entries(describeTextBodies())) results.push(await measureTexts(rounds, name, body));
  return [...results, await measureBlocks(rounds)];
}

async function measurePictures(rounds: { warm: number; counted: number }, count: number): Promise<Result> {
  const { body, files } = makePictureBody(count);
  if (scan(body) !== count) throw new Error('The scan lost a picture.');
  const samples = await interleave(rounds, {
    floor: async () => takeCpuMs(() => decodeFiles(files)),
    product: async () => takeCpuMs(() => scan(body)),
  });
  const target = { of: 'ratio', atMost: MAX_PICTURE_RATIO } as const;
  const what = `scan of a request of 25 MB: pictures, ${count}`;
  return compare({ what, unit: 'ms', floorIs: 'base64 and sha256 of them', target }, samples);
}

async function measureTexts(rounds: { warm: number; counted: number }, name: string, body: Buffer): Promise<Result> {
  if (scan(body) === 0) throw new Error('The scan lost the texts.');
  const samples = await interleave(rounds, {
    floor: async () => takeCpuMs(() => parseBody(body)),
    product: async () => takeCpuMs(() => scan(body)),
  });
  const target = { of: 'ratio', atMost: MAX_TEXT_RATIO } as const;
  const what = `scan of a request of ${Math.round(body.length / 1e6)} MB: ${name}`;
  return compare({ what, unit: 'ms', floorIs: 'JSON.parse of its bytes', target }, samples);
}

async function measureBlocks(rounds: { warm: number; counted: number }): Promise<Result> {
  const [few, many] = [makeSmallBlocks(FEW_BLOCKS), makeSmallBlocks(MANY_BLOCKS)];
  if (scan(many) < MANY_BLOCKS) throw new Error('The scan lost the texts.');
  const repeats = MANY_BLOCKS / FEW_BLOCKS;
  const samples = await interleave(rounds, {
    floor: async () =>
      takeCpuMs(() => {
        for (let repeat = 0; repeat < repeats; repeat += 1) scan(few);
      }),
    product: async () => takeCpuMs(() => scan(many)),
  });
  const target = { of: 'ratio', atMost: MAX_GROWTH } as const;
  const what = `scan of ${MANY_BLOCKS.toLocaleString('en')} small texts`;
  return compare({ what, unit: 'ms', floorIs: `as many in requests of ${FEW_BLOCKS}`, target }, samples);
}

/** How many blocks are found. */
function scan(body: Buffer): number {
  const endpoint = { api: 'anthropic' } as const;
  const access = { model: 'm', errands: [] };
  const judge = judgeBody({ ...access, endpoint }, { kind: 'generate', isInTurn: true }, () => {});
  const fields = judgeFields(endpoint);
  for (let from = 0; from < body.length; from += CHUNK_BYTES) {
    const chunk = body.subarray(from, from + CHUNK_BYTES);
    judge.write(chunk);
    if (fields.write(chunk) !== undefined) throw new Error('The relay refuses a field of the benchmark.');
  }
  if (judge.end() !== undefined) throw new Error('The relay refuses a body of the benchmark.');
  return judge.readContent()?.blocks.length ?? 0;
}

function takeCpuMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
