import { compare, type Result } from '../report/result.ts';
import { interleave } from '../report/sample.ts';
import type { EmbeddedBench } from './bench.ts';
import { checkConversation, makeHistory, projectConversation } from './projected-conversation.ts';

const ROUNDS = 40;
const WARM_ROUNDS = 10;
const USUAL_MESSAGES = 500;
/** The size of a batch: a single projection is shorter than the clock's own noise. */
const ITEMS_PER_SAMPLE = 10_000;
const MAX_RATIO = 5;
const MAX_GROWTH = 2;

/** How long `work` takes, in milliseconds, as the mean of a batch. */
function timeEach(repeats: number, work: () => unknown): number {
  const startedAt = performance.now();
  for (let repeat = 0; repeat < repeats; repeat += 1) work();
  return (performance.now() - startedAt) / repeats;
}

async function measureAgainstJson({ counted }: Pick<EmbeddedBench, 'counted'>): Promise<Result> {
  const history = makeHistory(USUAL_MESSAGES);
  const blocks = projectConversation(history);
  checkConversation(blocks, USUAL_MESSAGES);
  const repeats = ITEMS_PER_SAMPLE / USUAL_MESSAGES;
  const samples = await interleave(
    { warm: WARM_ROUNDS, counted: counted(ROUNDS) },
    {
      floor: async () => timeEach(repeats, () => JSON.stringify(blocks)),
      product: async () => timeEach(repeats, () => projectConversation(history)),
    },
  );
  return compare(
    {
      what: `plan and projection of 20 files after ${USUAL_MESSAGES} messages with one each`,
      unit: 'ms',
      floorIs: 'JSON.stringify of the result',
      target: { of: 'ratio', atMost: MAX_RATIO },
    },
    samples,
  );
}

/** Time for a thousand earlier messages, if there are this many. */
function timePerThousand(messageCount: number): () => Promise<number> {
  const history = makeHistory(messageCount);
  checkConversation(projectConversation(history), messageCount);
  const repeats = Math.ceil(ITEMS_PER_SAMPLE / messageCount);
  return async () => (timeEach(repeats, () => projectConversation(history)) * 1_000) / messageCount;
}

type Growth = { few: number; many: number; maxRatio?: number };

async function measureGrowth(bench: Pick<EmbeddedBench, 'counted'>, growth: Growth): Promise<Result> {
  const { few, many, maxRatio } = growth;
  const samples = await interleave(
    { warm: WARM_ROUNDS, counted: bench.counted(ROUNDS) },
    { floor: timePerThousand(few), product: timePerThousand(many) },
  );
  return compare(
    {
      what: `the same, per 1,000 messages, where there are ${many.toLocaleString('en')}`,
      unit: 'ms',
      floorIs: `where there are ${few.toLocaleString('en')}`,
      target: maxRatio === undefined ? undefined : { of: 'ratio', atMost: maxRatio },
    },
    samples,
  );
}

/** The cost of projecting a message in a long conversation, in this process: computing alone, no database and no byte of a file. */
export async function measureProjection(bench: EmbeddedBench): Promise<Result[]> {
  bench.say('  projections');
  return [
    await measureAgainstJson(bench),
    // Here the twenty files take most of the time.
    await measureGrowth(bench, { few: 10, many: 100 }),
    await measureGrowth(bench, { few: 100, many: 1_000 }),
    await measureGrowth(bench, { few: 1_000, many: 10_000, maxRatio: MAX_GROWTH }),
  ];
}
