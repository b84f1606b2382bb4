import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { startBoxed } from '@attache/agent-process/boxed-start';
import { whereAttacked } from '@attache/agent-process/where-sandboxed';
import { openEgress } from '@attache/egress';
import { type OpenedRelay, startModelRelay } from '@attache/model-relay';
import { createLogger } from '@attache/telemetry';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const script = fileURLToPath(new URL('__fixtures__/hostile-client.py', import.meta.url));
const log = createLogger({ service: 'test', level: 'silent' });
const RELAY_PORT = 8087;
const ASKS = 20;
const CONNECTIONS = 10_000;
const MOST_HELD = 256;

let folder: string;
let cleanUp: AsyncDisposableStack;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'attache-network-'));
  cleanUp = new AsyncDisposableStack();
  cleanUp.defer(() => rm(folder, { recursive: true }));
});
afterEach(() => cleanUp.disposeAsync());

/** Counts the connections to a port of the machine's loopback. */
async function listenAt(address: string, port = 0) {
  const arrived = { count: 0, port };
  const server = createServer((socket) => {
    arrived.count += 1;
    socket.on('error', () => {}).resume();
  }).listen(port, address);
  await once(server, 'listening');
  arrived.port = (server.address() as AddressInfo).port;
  cleanUp.defer(() => void server.close());
  return arrived;
}

async function startProvider(): Promise<string> {
  const server = createHttpServer((request, response) => {
    request.resume().once('end', () => response.end('{"answered":true}'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The relays of two agents, of which the hostile one's is at a socket. */
async function openRelays(socketPath: string): Promise<Record<'hostile' | 'other', OpenedRelay>> {
  const relay = await startModelRelay({ log });
  cleanUp.defer(() => relay.stop());
  const endpoint = { api: 'anthropic', baseUrl: await startProvider(), readKey: async () => 'key' } as const;
  const open = (agentId: `agt_${string}`) =>
    relay.open({
      ...{ agentId, epoch: 1, model: 'm', maxRequestBytes: undefined, endpoint, errands: [] },
      ...{ isInTurn: () => true, watchRequest: () => () => {} },
    });
  const [hostile, other] = [open('agt_hostile'), open('agt_other')];
  await hostile.listen(socketPath, RELAY_PORT);
  return { hostile, other };
}

const askModel = async ({ baseUrl, token }: OpenedRelay): Promise<number> => {
  const headers = { 'x-api-key': token, 'content-type': 'application/json' };
  const answer = await fetch(`${baseUrl}/v1/messages`, { method: 'POST', headers, body: '{"model":"m"}' });
  await answer.text();
  return answer.status;
};

describe.runIf(await whereAttacked())('a hostile agent in its sandbox', () => {
  it('reaches no second address of a name, and its 10,000 connections to the relay stop nobody [BX-22 BX-24 A20]', async () => {
    const far = await listenAt('127.0.0.1');
    const near = await listenAt('127.0.0.2', far.port);
    const name = `far.example:${far.port}`;
    let resolved = 0;
    const egress = await openEgress({
      ...{ log, agentId: 'agt_hostile', socketPath: join(folder, 'egress.sock'), allowed: [name] },
      // Changes with each question. This machine's own address is the public one here.
      resolveName: async () => {
        resolved += 1;
        return [resolved % 2 === 1 ? '127.0.0.1' : '127.0.0.2'];
      },
      judge: (address) => ({ status: address === '127.0.0.1' ? 'public' : 'refused' }),
    });
    cleanUp.defer(() => egress.close());
    const { hostile, other } = await openRelays(join(folder, 'relay.sock'));
    const outcome = await startBoxed(['python3', script], {
      ...{ folder: join(folder, 'agent'), relaySocketPath: join(folder, 'relay.sock') },
      egressSocketPath: join(folder, 'egress.sock'),
    });
    if (outcome.status === 'failed') throw new Error(outcome.failure.diagnostic);
    const { child } = outcome;
    let hasEnded = false;
    const ended = child.exited.finally(() => {
      hasEnded = true;
    });
    const targets = { ...{ name, proxyPort: 8088, asks: ASKS }, relaySocket: '/run/attache/relay.sock' };
    child.stdin.end(JSON.stringify({ ...targets, connections: CONNECTIONS, mostHeld: MOST_HELD }));
    const said = text(child.stdout);
    const statuses: number[] = [];
    while (!hasEnded) statuses.push(await askModel(other));
    statuses.push(await askModel(hostile), await askModel(other));
    const { diagnostic } = await ended;
    const seen = JSON.parse((await said) || JSON.stringify({ diagnostic }));
    process.stdout.write(
      `a hostile agent: ${seen.opened} connections to its relay, ${seen.held} held; ${statuses.length} requests of others answered; ${resolved} questions for a name\n`,
    );

    expect(seen.statuses).toEqual(Array.from({ length: ASKS }, (_, index) => (index % 2 === 0 ? 200 : 403)));
    expect({ resolved, far: far.count, near: near.count }).toEqual({ resolved: ASKS, far: ASKS / 2, near: 0 });
    expect(seen.opened).toBe(CONNECTIONS);
    expect(seen.held).toBeLessThanOrEqual(MOST_HELD);
    expect(new Set(statuses)).toEqual(new Set([200]));
  });
});
