import { resolveCapability } from '@attache/domain';
import { catalog } from '@attache/programs/catalog';
import { compare, type Result } from '../report/result.ts';
import { interleave, time } from '../report/sample.ts';
import type { EmbeddedBench } from './bench.ts';
import { checkReplay, foldConversation, recordConversation, replayConversation } from './recorded-conversation.ts';

const ROUNDS = 40;
const WARM_ROUNDS = 10;
const FEW = 1_000;
const MANY = 10_000;
const MAX_RATIO = 3;
const MAX_GROWTH = 2;

type Work = 'transcript' | 'history';

const target = { profile: 'bench', runtime: 'acp', provider: 'anthropic', model: 'claude-sonnet-4-6' } as const;
const given = {
  target,
  capability: resolveCapability(
    { target, declared: undefined, profileCapability: undefined, lineBytes: undefined },
    catalog,
  ),
};

/** The work on a log of this many events, from what the database gives to the end. */
function prepare(eventCount: number, work: Work) {
  const conversation = recordConversation(eventCount);
  const entries = foldConversation(conversation);
  checkReplay(eventCount, entries, replayConversation(entries, given));
  return {
    parse: () => conversation.lines.map((line) => JSON.parse(line)),
    run: () => {
      const folded = foldConversation(conversation);
      return work === 'transcript' ? folded : replayConversation(folded, given);
    },
  };
}

const timeOnce = async (work: () => unknown) => (await time(async () => work())).tookMs;

async function measureAgainstJson({ counted }: Pick<EmbeddedBench, 'counted'>, work: Work): Promise<Result> {
  const { parse, run } = prepare(MANY, work);
  const samples = await interleave(
    { warm: WARM_ROUNDS, counted: counted(ROUNDS) },
    { floor: () => timeOnce(parse), product: () => timeOnce(run) },
  );
  const what = `${work} of a log of ${MANY.toLocaleString('en')} events, folded`;
  const limit = { of: 'ratio', atMost: MAX_RATIO } as const;
  return compare({ what, unit: 'ms', floorIs: 'JSON.parse of the same events', target: limit }, samples);
}

async function measureGrowth({ counted }: Pick<EmbeddedBench, 'counted'>, work: Work): Promise<Result> {
  const [few, many] = [prepare(FEW, work), prepare(MANY, work)];
  const repeats = MANY / FEW;
  const samples = await interleave(
    { warm: WARM_ROUNDS, counted: counted(ROUNDS) },
    {
      floor: async () => {
        const tookMs = await timeOnce(() => Array.from({ length: repeats }, () => few.run().length));
        return tookMs / repeats;
      },
      product: async () => (await timeOnce(many.run)) / repeats,
    },
  );
  const limit = { of: 'ratio', atMost: MAX_GROWTH } as const;
  const what = `the same, per 1,000 events, where there are ${MANY.toLocaleString('en')}`;
  return compare({ what, unit: 'ms', floorIs: `where there are ${FEW.toLocaleString('en')}`, target: limit }, samples);
}

/** A log folded for people, and for a model, in this process: computing alone, no database and no byte of a file. */
export async function measureHistory(bench: EmbeddedBench): Promise<Result[]> {
  bench.say('  a log folded');
  const results: Result[] = [];
  for (const work of ['transcript', 'history'] as const)
    results.push(await measureAgainstJson(bench, work), await measureGrowth(bench, work));
  return results;
}
