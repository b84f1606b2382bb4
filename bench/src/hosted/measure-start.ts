import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { nodeFlags } from '@attache/infra/native/processes/node-flags';
import { endChild, readLine } from '../processes/programs.ts';
import { compare, type Result } from '../report/result.ts';
import { interleave, within } from '../report/sample.ts';
import type { HostedBench } from './bench.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../', import.meta.url));
const bareServer = fileURLToPath(new URL('../../floors/bare-server.mjs', import.meta.url));
const services = ['ingest', 'projector', 'runner-gateway'] as const;
const MAX_RATIO = 6;
const START_MS = 30_000;

/** From the start of a program until it answers a request with 200. */
async function startOnce(args: readonly string[], environment: Record<string, string>, path: string): Promise<number> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, {
    cwd: tmpdir(),
    env: { PATH: process.env.PATH ?? '', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => said.push(text));
  try {
    const url = await within(START_MS, 'A start', readLine(child, /^Operations: (http:\S+)$/));
    const { status } = await fetch(`${url}${path}`);
    const tookMs = performance.now() - startedAt;
    if (status !== 200) throw new Error(`A program that said it was ready answered ${status}.`);
    return tookMs;
  } catch (cause) {
    throw new Error(`A start failed: ${said.join('')}`, { cause });
  } finally {
    await endChild(child);
  }
}

/** How long a service takes to be ready, as the bundle of plain JavaScript that its image holds, with its servers up. */
export async function measureStarts(bench: HostedBench): Promise<Result[]> {
  bench.say('  starts of the bundled services');
  const folder = await mkdtemp(join(tmpdir(), 'attache-bundle-'));
  try {
    const out = join(folder, 'dist');
    await run(process.execPath, [join(root, 'scripts/bundle/bundle.ts'), '--out', out, '--packages', 'all'], {
      cwd: root,
    });
    const results: Result[] = [];
    for (const service of services) {
      const environment = {
        ...bench.product.stack.environmentOf(service),
        ATTACHE_PORT: '0',
        ATTACHE_OPS_PORT: '0',
        ATTACHE_DATA_DIR: join(folder, service),
        // Beside the gateway that runs: it takes over no session of that one.
        ...(service === 'runner-gateway' ? { ATTACHE_REPLICA_ID: `bench-start-${process.pid}` } : {}),
      };
      const samples = await interleave(
        { warm: 1, counted: bench.counted(8) },
        {
          floor: () => startOnce([bareServer], {}, '/'),
          product: () => startOnce([...nodeFlags, join(out, 'attache.js'), 'start', service], environment, '/readyz'),
        },
      );
      const target = { of: 'ratio', atMost: MAX_RATIO } as const;
      results.push(compare({ what: `start of ${service} until ready`, unit: 'ms', target }, samples));
    }
    return results;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
