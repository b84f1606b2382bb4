import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { copyTemplateFolder } from '@attache/test-harness';
import { endChild, readLine } from '../processes/programs.ts';
import type { Result } from '../report/result.ts';
import { summarise, time } from '../report/sample.ts';
import type { EmbeddedBench } from './bench.ts';

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

async function startOnce(dataDir: string): Promise<number> {
  const { result, tookMs } = await time(async () => {
    const child = spawnCommand('start', dataDir);
    await readLine(child, /^(Attaché ready on http:\S+)$/);
    return child;
  });
  await endChild(result);
  return tookMs;
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

/** How long `start` and `demo` take where they ran before. For information: a machine under load is not a slower product. */
export async function measureStart({ counted, say }: Pick<EmbeddedBench, 'counted' | 'say'>): Promise<Result[]> {
  say('  starts');
  const dataDir = await copyTemplateFolder();
  try {
    const starts: number[] = [];
    for (let round = 0; round < counted(5); round += 1) starts.push(await startOnce(dataDir));
    await demoOnce(dataDir);
    const demoMs = await demoOnce(dataDir);
    return [
      { what: 'start to ready, not the first time', unit: 'ms', product: summarise(starts) },
      { what: 'demo, the second time', unit: 'ms', product: summarise([demoMs]) },
    ];
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
