import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RELAY_PORT, type SpawnedAgent } from '@attache/agent-process';
import { listDescendants } from '@attache/infra/native/processes/process-table';
import type { EmbeddedBench } from '../embedded/bench.ts';
import { compare, type Result } from '../report/result.ts';
import { interleave, summarise, time } from '../report/sample.ts';
import { type AgentPlace, openAgentPlace } from './boxed-agent.ts';
import { measureWorkers } from './measure-workers.ts';

const START_ROUNDS = 40;
const LIVE_AGENTS = 200;
const ASKS = 400;
const WARM_ROUNDS = 5;
const CONNECTIONS = 4;
const MEGABYTE = 1_000_000;
const MAX_START_MS = 25;
const MAX_BESIDE_MB = 8;
const MAX_FIRST_BYTE_MS = 1;

/** The cost of a sandbox for an agent: at its start, in memory next to it, and on the way to its model. */
export async function measureSandbox({ counted, say }: Pick<EmbeddedBench, 'counted' | 'say'>): Promise<Result[]> {
  say('  sandbox');
  await using place = await openAgentPlace();
  await using api = await startApi();
  return [
    ...(await measureStart(place, counted(START_ROUNDS))),
    await measureBeside(place, api, counted(LIVE_AGENTS)),
    await measureWay(place, api, counted(ASKS)),
    ...(await measureWorkers({ counted })),
  ];
}

async function measureStart(place: AgentPlace, rounds: number): Promise<Result[]> {
  const startOnce = async (isBoxed: boolean) => {
    const { result, tookMs } = await time(() => place.start(['echo', 'here'], { isBoxed }));
    await result.child.exited;
    return tookMs;
  };
  const samples = await interleave(
    { warm: WARM_ROUNDS, counted: rounds },
    { floor: () => startOnce(false), product: () => startOnce(true) },
  );
  const differences = samples.product.map((sample, round) => sample - (samples.floor[round] ?? Number.NaN));
  const what = 'first output of a program, in a sandbox';
  return [
    compare({ what, unit: 'ms', floorIs: 'without one' }, samples),
    {
      ...{ what: 'the same, above that without one', unit: 'ms', product: summarise(differences) },
      target: { of: 'product', atMost: MAX_START_MS },
    },
  ];
}

/** The memory for so many live agents. Shared pages count in part. Everything that is there for the sandbox counts; the program itself does not. */
async function measureBeside(place: AgentPlace, { socketPath }: ModelApi, agents: number): Promise<Result> {
  const connect = Array.from({ length: CONNECTIONS }, (_, at) => `exec ${at + 10}<>/dev/tcp/127.0.0.1/${RELAY_PORT}`);
  const script = [...connect, 'echo here', 'exec cat'].join('; ');
  const children: SpawnedAgent[] = [];
  const samples: number[] = [];
  try {
    for (let started = 0; started < agents; started += 1) {
      const { child } = await place.start(['bash', '-c', script], { isBoxed: true, relaySocketPath: socketPath });
      children.push(child);
    }
    for (const child of children) samples.push((await readBeside(child)) / MEGABYTE);
  } finally {
    for (const child of children) child.signalGroup('SIGKILL');
    await Promise.all(children.map(({ exited }) => exited));
  }
  const what = `memory beside each of ${agents} agents, ${CONNECTIONS} connections open`;
  return {
    ...{ what, unit: 'MB', product: summarise(samples) },
    target: { of: 'product', atMost: MAX_BESIDE_MB },
  };
}

async function readBeside({ pid }: SpawnedAgent): Promise<number> {
  const processes = await Promise.all([pid, ...(await listDescendants(pid))].map(readProcess));
  const beside = processes.filter(({ name }) => name === 'bwrap' || name === 'attache-box' || name === 'box');
  if (beside.length < 2) throw new Error('The processes of the sandbox were not found.');
  return beside.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}

async function readProcess(pid: number): Promise<{ name: string; sizeBytes: number }> {
  const name = (await readFile(`/proc/${pid}/comm`, 'utf8')).trim();
  const said = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8');
  return { name, sizeBytes: Number(/^Pss:\s+(\d+) kB$/m.exec(said)?.[1]) * 1024 };
}

/** A program inside asks an API at a unix socket by its own loopback; outside, the same API by the machine's. */
async function measureWay(place: AgentPlace, { port, socketPath }: ModelApi, asks: number): Promise<Result> {
  const ask = async (askedPort: number, options: Parameters<AgentPlace['start']>[1]): Promise<number[]> => {
    const program = fileURLToPath(new URL('ask-often.ts', import.meta.url));
    const { child, said } = await place.start([process.execPath, program, String(askedPort), String(asks)], options);
    await child.exited;
    return JSON.parse(said);
  };
  const plain = await ask(port, {});
  const boxed = await ask(RELAY_PORT, { isBoxed: true, relaySocketPath: socketPath });
  const middle = summarise(plain).p50;
  return {
    ...{ what: 'first byte of an answer, above that by the loopback outside', unit: 'ms' },
    product: summarise(boxed.map((tookMs) => tookMs - middle)),
    target: { of: 'product', atMost: MAX_FIRST_BYTE_MS },
  };
}

type ModelApi = AsyncDisposable & { port: number; socketPath: string };

/** Responds at once, at a port of loopback and at a unix socket. */
async function startApi(): Promise<ModelApi> {
  const socketPath = join(tmpdir(), `attache-bench-${process.pid}.sock`);
  const servers = [createServer(answer), createServer(answer)] as const;
  const [byPort, bySocket] = servers;
  await listen(byPort, { port: 0, host: '127.0.0.1' });
  await listen(bySocket, { path: socketPath });
  const { port } = byPort.address() as AddressInfo;
  const close = () => Promise.all(servers.map(closeServer)).then(() => undefined);
  return { port, socketPath, [Symbol.asyncDispose]: close };
}

const answer: Parameters<typeof createServer>[1] = (request, response) => {
  request.resume().once('end', () => response.end('here'));
};

const listen = (server: Server, at: object): Promise<void> =>
  new Promise((resolve, reject) => void server.once('error', reject).listen(at, resolve));

function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
  server.closeAllConnections();
  return closed;
}
