import { createHttpClient } from '../product/http-client.ts';
import { compare, type Result } from '../report/result.ts';
import { pause } from '../report/sample.ts';
import type { Counts, LoadTarget } from './loads/load.ts';
import { type Neighbour, openNeighbour, type Seen } from './neighbour.ts';
import { type LoadName, startLoad } from './start-load.ts';

const ROUNDS = 20;
const WARM_ROUNDS = 3;
const MAX_RATIO = 3;
/** Work that an ended load leaves behind is over after this. */
const REST_MS = 5_000;

const loads: readonly { name: LoadName; label: string }[] = [
  { name: 'costly-files', label: 'twenty costly PDFs' },
  { name: 'many-streams', label: 'a thousand event streams' },
  { name: 'large-messages', label: 'twenty messages of 16 MiB' },
  { name: 'long-messages', label: 'twenty messages of 1 MB of words' },
  { name: 'small-reads', label: 'small reads over 64 connections' },
  { name: 'talking-agent', label: 'a thousand followers of an agent that talks' },
  { name: 'calling-agent', label: 'an agent that floods its tools' },
  { name: 'asking-agent', label: 'an agent that asks about costly arguments' },
];

const figures: readonly { of: keyof Seen; label: string }[] = [
  { of: 'uploadMs', label: 'upload accepted' },
  { of: 'readyMs', label: 'upload accepted to ready' },
  { of: 'writtenMs', label: 'message to written' },
];

export type FairnessBench = {
  url: string;
  /** Makes a tenant; answers its first key. */
  createTenant(name: string): Promise<string>;
  counted(rounds: number): number;
  say(line: string): void;
};

/** The times of one tenant while another brings load, compared with its times without. */
export async function measureNeighbours({ url, createTenant, counted, say }: FairnessBench): Promise<Result[]> {
  const target = { url, apiKey: await createTenant('loud') };
  const client = createHttpClient(url, { authorization: `Bearer ${await createTenant('neighbour')}` });
  const neighbour = await openNeighbour(client);
  try {
    await neighbour.see(WARM_ROUNDS);
    const results: Result[] = [];
    for (const load of loads) {
      const idle = await neighbour.see(counted(ROUNDS));
      const { loaded, counts } = await seeBeside(load.name, target, neighbour, counted(ROUNDS));
      say(`  beside ${load.label}: ${describe(counts)}`);
      const row = ({ of, label }: (typeof figures)[number]) =>
        compare(
          {
            what: `${label}, beside ${load.label} of another tenant`,
            ...{ unit: 'ms', floorIs: 'idle', target: { of: 'ratio', atMost: MAX_RATIO } },
          },
          { product: loaded[of], floor: idle[of] },
        );
      results.push(...figures.map(row));
      await pause(REST_MS);
    }
    return results;
  } finally {
    neighbour.stop();
    client.close();
  }
}

async function seeBeside(name: LoadName, target: LoadTarget, neighbour: Neighbour, rounds: number) {
  using load = await startLoad(name, target);
  const loaded = await neighbour.see(rounds);
  return { loaded, counts: await load.end() };
}

const describe = (counts: Counts): string =>
  Object.entries(counts)
    .map(([what, count]) => `${count} × ${what}`)
    .join(', ');
