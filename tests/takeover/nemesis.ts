import { setTimeout as delay } from 'node:timers/promises';
import type { SeededRandom } from '../faults/seeded-random.ts';
import type { ClusterGateway, LinkName } from './cluster.ts';
import type { LinkState } from './link-proxy.ts';

/** A fault of one gateway, until it is well again. */
type Fault = (gateway: ClusterGateway, random: SeededRandom) => Promise<void>;

/** Longer than a lease. */
const LONG_MS = 7_500;

async function restart(gateway: ClusterGateway, random: SeededRandom, clockOffsetMs = 0): Promise<void> {
  await delay(random.below(3_000));
  await gateway.start({ clockOffsetMs });
}

const link =
  (name: LinkName, state: LinkState, leastMs: number, spreadMs: number): Fault =>
  async ({ links }, random) => {
    links[name].set(state);
    await delay(leastMs + random.below(spreadMs));
    links[name].set('open');
  };

const faults: Readonly<Record<string, Fault>> = {
  async kill(gateway, random) {
    await gateway.service.end('SIGKILL');
    await restart(gateway, random);
  },
  async 'kill, clock ten minutes off'(gateway, random) {
    await gateway.service.end('SIGKILL');
    await restart(gateway, random, random.pick([-600_000, 600_000]));
  },
  async 'stop past the lease'({ service: { process } }, random) {
    process.kill('SIGSTOP');
    await delay(LONG_MS + random.below(2_000));
    process.kill('SIGCONT');
  },
  async terminate(gateway, random) {
    await gateway.service.end('SIGTERM');
    await restart(gateway, random);
  },
  async 'terminate twice'(gateway, random) {
    const ended = gateway.service.end('SIGTERM');
    await delay(random.below(400));
    gateway.service.process.kill('SIGTERM');
    await ended;
    await restart(gateway, random);
  },
  'cut from Postgres': link('postgres', 'cut', 500, 8_000),
  'hung before Postgres': link('postgres', 'hung', 1_000, 8_000),
  'slow to Postgres': link('postgres', { delayMs: 40 }, 2_000, 3_000),
  'cut from NATS': link('nats', 'cut', 500, 6_000),
  'hung before NATS': link('nats', 'hung', 500, 6_000),
  'cut from the store': link('s3', 'cut', 500, 5_000),
  'slow to the store': link('s3', { delayMs: 60 }, 2_000, 3_000),
};

const names = Object.keys(faults) as [string, ...string[]];

/** All gateways end within a moment, as at a change of all machines. */
async function churn(gateways: readonly ClusterGateway[], random: SeededRandom): Promise<void> {
  await Promise.all(
    gateways.map(async (gateway) => {
      await delay(random.below(300));
      await gateway.service.end(random.pick(['SIGTERM', 'SIGKILL']));
      await restart(gateway, random);
    }),
  );
}

export type NemesisOptions = {
  gateways: readonly ClusterGateway[];
  random: SeededRandom;
  /** How many faults; they end earlier if `isOver` says so. */
  faultCount: number;
  isOver(): boolean;
  onFault(line: string): void;
};

/** Makes faults, one at each gateway at a time, so that several gateways may have some at once. Returns how many of which. */
export async function runNemesis(options: NemesisOptions): Promise<Record<string, number>> {
  const { gateways, random, faultCount, isOver, onFault } = options;
  const counts: Record<string, number> = {};
  const busy = new Map<ClusterGateway, Promise<void>>();
  const begun = performance.now();
  const note = (name: string, where: string) => {
    counts[name] = (counts[name] ?? 0) + 1;
    onFault(`${((performance.now() - begun) / 1000).toFixed(1)} s: ${name} (${where})`);
  };
  for (let count = 0; count < faultCount && !isOver(); count += 1) {
    if (random.below(25) === 0) {
      await Promise.all(busy.values());
      note('all at once', 'all');
      await churn(gateways, random);
      continue;
    }
    const free = gateways.filter((gateway) => !busy.has(gateway));
    const gateway = free[random.below(free.length)];
    if (gateway === undefined) {
      await Promise.race(busy.values());
      count -= 1;
      continue;
    }
    const name = random.pick(names);
    note(name, gateway.name);
    const work = (faults[name] as Fault)(gateway, random).finally(() => busy.delete(gateway));
    busy.set(gateway, work);
    // At least one gateway is well: what is tried is that it takes over.
    if (busy.size >= gateways.length - 1) await Promise.race(busy.values());
    await delay(random.below(1_200));
  }
  await Promise.all(busy.values());
  return counts;
}
