import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

// `npm run takeover -- --seed <n> --minutes <m>`: faults at several gateways for as long as wanted; the same seed makes the same ones.

const { values } = parseArgs({
  options: { seed: { type: 'string' }, minutes: { type: 'string', default: '10' } },
});
const seed = values.seed ?? String(Date.now() % 1_000_000);
process.stdout.write(`takeover: seed ${seed}, ${values.minutes} minutes\n`);
const root = fileURLToPath(new URL('../..', import.meta.url));
const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));
const child = spawn(
  process.execPath,
  [vitest, 'run', '--project', 'faults-hosted', 'tests/takeover/takeover.test.ts'],
  {
    cwd: root,
    env: { ...process.env, ATTACHE_TAKEOVER_SEED: seed, ATTACHE_TAKEOVER_MINUTES: values.minutes },
    stdio: ['ignore', 'inherit', 'inherit'],
  },
);
const [code] = (await once(child, 'exit')) as [number | null];
process.exitCode = code ?? 1;
