import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { copyTemplateFolder } from '@attache/test-harness';
import { readResidentBytes } from '../processes/process-cost.ts';
import { endChild, readLine, startFloorProgram } from '../processes/programs.ts';
import type { Result } from '../report/result.ts';
import { pause, summarise, time } from '../report/sample.ts';
import type { EmbeddedBench } from './bench.ts';

const run = promisify(execFile);
const ROUNDS = 5;
const IDLE_MS = 5_000;
const MEGABYTE = 1_000_000;
const root = fileURLToPath(new URL('../../..', import.meta.url));

/** As `npm` starts a command in the repository: through the script that brings Node and packages, from the sources. */
const FROM_SOURCES = ['scripts/run.mjs', 'apps/cli/src/main.ts'];

function spawnCommand(program: readonly string[], command: 'start' | 'demo', dataDir: string) {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('ATTACHE_'));
  return spawn(process.execPath, [...program, command], {
    cwd: root,
    env: { ...Object.fromEntries(own), ATTACHE_DATA_DIR: dataDir, ATTACHE_PORT: '0', ATTACHE_OPS_PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

type Started = { tookMs: number; residentBytes: number };

/** How long a start takes, and what it holds when nobody has asked anything for a while. */
async function startOnce(program: readonly string[], dataDir: string): Promise<Started> {
  const { result: child, tookMs } = await time(async () => {
    const started = spawnCommand(program, 'start', dataDir);
    await readLine(started, /^(Attaché ready on http:\S+)$/);
    return started;
  });
  await pause(IDLE_MS);
  const residentBytes = await readResidentBytes(child.pid ?? 0);
  await endChild(child);
  return { tookMs, residentBytes };
}

/** The same of a bare process that opens the database of such a folder. */
async function openOnce(dataDir: string): Promise<Started> {
  const { result: floor, tookMs } = await time(() =>
    startFloorProgram('bare-database.ts', join(dataDir, 'database'), /^(Database open)$/),
  );
  await pause(IDLE_MS);
  const residentBytes = await readResidentBytes(floor.pid);
  await floor.stop();
  return { tookMs, residentBytes };
}

async function demoOnce(dataDir: string): Promise<number> {
  const { result, tookMs } = await time(async () => {
    const child = spawnCommand(FROM_SOURCES, 'demo', dataDir);
    child.stdout.resume();
    return once(child, 'exit');
  });
  if (result[0] !== 0) throw new Error(`The demo ended with ${result[0]}.`);
  return tookMs;
}

/** As the packed command line brings it. */
async function makeBundle(): Promise<string> {
  const out = await mkdtemp(join(tmpdir(), 'attache-bundle-'));
  await run(process.execPath, [join(root, 'scripts/bundle/bundle.ts'), '--out', out, '--packages', 'all'], {
    cwd: root,
  });
  return out;
}

/** How long `start` and `demo` take where they ran before, and how much memory an idle stack holds. */
export async function measureStart({ counted, say }: Pick<EmbeddedBench, 'counted' | 'say'>): Promise<Result[]> {
  say('  starts');
  const [dataDir, bundle] = [await copyTemplateFolder(), await makeBundle()];
  try {
    const started: Started[] = [];
    const opened: Started[] = [];
    const fromSources: Started[] = [];
    for (let round = -1; round < counted(ROUNDS); round += 1) {
      const [product, floor] = [await startOnce([join(bundle, 'attache.js')], dataDir), await openOnce(dataDir)];
      // The first one fills the cache of compiled code.
      if (round < 0) continue;
      started.push(product);
      opened.push(floor);
      fromSources.push(await startOnce(FROM_SOURCES, dataDir));
    }
    await demoOnce(dataDir);
    const demoMs = await demoOnce(dataDir);
    const above = (read: (one: Started) => number) =>
      summarise(started.map((one, round) => read(one) - read(opened[round] as Started)));
    const startOf = (starts: readonly Started[]) => summarise(starts.map(({ tookMs }) => tookMs));
    return [
      { what: 'start to ready, not the first time', unit: 'ms', product: startOf(started) },
      {
        what: 'the same, above that of a bare process that opens its database',
        ...{ unit: 'ms', product: above(({ tookMs }) => tookMs), target: { of: 'product', atMost: 1_000 } },
      },
      {
        what: 'memory of an idle stack, above that of such a process',
        ...{ unit: 'MB', product: above(({ residentBytes }) => residentBytes / MEGABYTE) },
        target: { of: 'product', atMost: 100 },
      },
      { what: 'start to ready from the sources, not the first time', unit: 'ms', product: startOf(fromSources) },
      { what: 'demo, the second time', unit: 'ms', product: summarise([demoMs]) },
    ];
  } finally {
    for (const folder of [dataDir, bundle]) await rm(folder, { recursive: true, force: true });
  }
}
