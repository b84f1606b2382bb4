import { mkdir, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type StoreName, stores } from './backends.ts';
import { withLockFile } from './native/build/build-lock.ts';
import { placePostgresFolder } from './native/processes/server-folder.ts';
import { type RunningStack, startStack } from './run-stack.ts';

// `npm run stack`: the hosted stack without Docker, on free loopback ports. Data stays in .attache/stack; `-- --fresh` begins again, and
// `-- --cli <attache.js>` runs a bundle instead of the sources, `-- --store versitygw` keeps files in versitygw instead of MinIO,
// `-- --gateways 3` runs three gateways, among which sessions spread.

const { values } = parseArgs({
  options: {
    fresh: { type: 'boolean', default: false },
    folder: { type: 'string' },
    cli: { type: 'string' },
    store: { type: 'string' },
    gateways: { type: 'string' },
  },
});
const folder = resolve(values.folder ?? join('.attache', 'stack'));

const titles: Record<StoreName, string> = { minio: 'MinIO', versitygw: 'versitygw' };

const say = (line: string) => process.stdout.write(`${line}\n`);

try {
  await mkdir(dirname(folder), { recursive: true });
  await withLockFile({ lockFile: `${folder}.lock`, onWait: refuse, task: runStack });
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}

function refuse(holder: number): never {
  throw new Error(`A stack runs in ${folder} already (process ${holder}). Stop it, or give another --folder.`);
}

/** Runs until a signal, or until a service ends by itself, which is a failure. */
async function runStack(): Promise<void> {
  const store = readStore(values.store);
  if (values.fresh) await removeData();
  const gatewayCount = readGatewayCount(values.gateways);
  const options = { folder, cli: values.cli, store, gatewayCount, isDurable: true };
  const stack = await startStack({ ...options, onProgress: say });
  try {
    describe(stack);
    const failed = stack.services.map(async ({ name, closed }) => {
      await closed;
      return `${name} ended by itself; its log is ${join(folder, 'logs', `${name}.log`)}.`;
    });
    const failure = await Promise.race([waitForSignal(), ...failed]);
    if (failure !== undefined) {
      process.stderr.write(`${failure}\n`);
      process.exitCode = 1;
    }
    say('Stopping …');
  } finally {
    await stack.stop();
  }
}

async function removeData(): Promise<void> {
  await mkdir(folder, { recursive: true });
  await rm(await placePostgresFolder(folder), { recursive: true, force: true });
  await rm(folder, { recursive: true, force: true });
}

function readStore(name: string | undefined): StoreName | undefined {
  const known = stores.find((each) => each === name);
  if (name === undefined || known !== undefined) return known;
  throw new Error(`--store is ${stores.join(' or ')}.`);
}

function readGatewayCount(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]$/.test(text)) return Number(text);
  throw new Error('--gateways is a number from 1 to 9.');
}

function describe({ url, services, servers, store: kept, operatorFile }: RunningStack): void {
  say(`\nAttaché ready on ${url}`);
  say(`API key: ${join(folder, 'api-key')}`);
  say(`API documentation: ${url}/docs`);
  for (const { name, opsUrl } of services) say(`${name.padEnd(20)}${opsUrl}/readyz and /metrics`);
  say(`${'Postgres'.padEnd(20)}127.0.0.1:${new URL(servers.postgres.superuserUrl).port}`);
  say(`${'NATS'.padEnd(20)}${servers.nats.url}`);
  say(`${titles[kept].padEnd(20)}${servers.store.endpoint}`);
  say(`${'Operate it'.padEnd(20)}. ${operatorFile} && npm run attache -- tenant list`);
  say(`${''.padEnd(20)}(in a shell of its own: from then on its attache commands act on this stack)`);
  say(`${'Logs'.padEnd(20)}${join(folder, 'logs')}`);
}

// Before this, a signal ends this process at once, and all that it started with it.
function waitForSignal(): Promise<undefined> {
  return new Promise((done) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => done(undefined));
  });
}
