import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { copyTemplateFolder } from '@attache/test-harness';
import { readResidentBytes } from '../processes/process-cost.ts';
import { endChild, readLine, startFloorProgram } from '../processes/programs.ts';
import type { Result } from '../report/result.ts';
import { pause, summarise, time } from '../report/sample.ts';
import type { EmbeddedBench } from './bench.ts';

const ROUNDS = 5;
const IDLE_MS = 5_000;
const MEGABYTE = 1_000_000;
const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Starts a command as `npm` does: through the script that brings Node and packages. */
function spawnCommand(command: 'start' | 'demo', dataDir: string) {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('ATTACHE_'));
  return spawn(process.execPath, ['scripts/run.mjs', 'apps/cli/src/main.ts', command], {
    cwd: root,
    env: { ...Object.fromEntries(own), ATTACHE_DATA_DIR: dataDir, ATTACHE_PORT: '0', ATTACHE_OPS_PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

type Started = { tookMs: number; residentBytes: number };

/** How long a start takes, and what it holds when nobody has asked anything for a while. */
async function startOnce(dataDir: string): Promise<Started> {
  const { result: child, tookMs } = await time(async () => {
    const started = spawnCommand('start', dataDir);
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
    const child = spawnCommand('demo', dataDir);
    child.stdout.resume();
    return once(child, 'exit');
  });
  if (result[0] !== 0) throw new Error(`The demo ended with ${result[0]}.`);
  return tookMs;
}

/** How long `start` and `demo` take where they ran before, and how much memory an idle stack holds. */
export async function measureStart({ counted, say }: Pick<EmbeddedBench, 'counted' | 'say'>): Promise<Result[]> {
  say('  starts');
  const dataDir = await copyTemplateFolder();
  try {
    const started: Started[] = [];
    const opened: Started[] = [];
    for (let round = 0; round < counted(ROUNDS); round += 1) {
      started.push(await startOnce(dataDir));
      opened.push(await openOnce(dataDir));
    }
    await demoOnce(dataDir);
    const demoMs = await demoOnce(dataDir);
    const above = (read: (one: Started) => number) =>
      summarise(started.map((one, round) => read(one) - read(opened[round] as Started)));
    return [
      {
        what: 'start to ready, not the first time',
        unit: 'ms',
        product: summarise(started.map(({ tookMs }) => tookMs)),
      },
      {
        what: 'the same, above that of a bare process that opens its database',
        unit: 'ms',
        product: above(({ tookMs }) => tookMs),
        target: { of: 'product', atMost: 1_000 },
      },
      {
        what: 'memory of an idle stack, above that of such a process',
        unit: 'MB',
        product: above(({ residentBytes }) => residentBytes / MEGABYTE),
        target: { of: 'product', atMost: 100 },
      },
      { what: 'demo, the second time', unit: 'ms', product: summarise([demoMs]) },
    ];
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
