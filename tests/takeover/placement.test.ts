import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Delivery } from '@attache/contracts';
import { readEnvironment } from '@attache/infra/config';
import { findServers } from '@attache/infra/find-servers';
import type { ServerStarts } from '@attache/infra/native/servers/server-starts';
import { type Api, createApi, exampleAgent, runCommand } from '@attache/test-harness';
import { afterAll, afterEach, beforeAll, describe, expect, vi } from 'vitest';
import { drawTests } from '../faults/draw-tests.ts';
import { type Cluster, type ClusterGateway, startCluster } from './cluster.ts';
import { interruptTurn } from './interrupt-turn.ts';

const { starts } = await findServers({ environment: readEnvironment() });
const hasServers = Boolean(starts.postgres && starts.nats && starts.minio);
const title = 'agents on gateways that have room for one each';

const WAIT = { timeout: 60_000, interval: 50 };

let cluster: Cluster;
let api: Api;
let folder: string;

type Talk = { api: Api; sessionId: string; agentId: string };

const open = async (profile = 'example', by = api): Promise<Talk> => {
  const { session, agent } = await by.createSession({ profile, model: 'example-vision' });
  return { api: by, sessionId: session.id, agentId: agent.id };
};

/** Sends what the agent takes this long to answer. */
const say = async (talk: Talk, slowMs = 0): Promise<string> => {
  const text = slowMs === 0 ? 'hello' : `hello\nexample: slow ${slowMs}`;
  return (await talk.api.send(talk.sessionId, { to: [talk.agentId], text })).deliveries[0].id;
};

const isInTurn = (talk: Talk, id: string) =>
  vi.waitUntil(async () => ['claimed', 'written'].includes((await talk.api.delivery(id)).status), WAIT);

/** Gives the agent a turn that lasts until `release`. */
const occupy = async (talk: Talk): Promise<string> => {
  const text = 'hello\nexample: hang';
  const { id } = (await talk.api.send(talk.sessionId, { to: [talk.agentId], text })).deliveries[0];
  await talk.api.reached(id, 'written');
  return id;
};

const release = ({ api: by, sessionId, agentId }: Talk) => interruptTurn(by, sessionId, agentId);

const seenWaiting = (talk: Talk, id: string, waitsFor: Delivery['waitsFor']) =>
  vi.waitUntil(async () => (await talk.api.delivery(id)).waitsFor === waitsFor, WAIT);

const respondedAt = ({ timeline }: Delivery) => timeline.find(({ status }) => status === 'responded')?.at ?? '';

const claimedAt = ({ timeline }: Delivery) => timeline.find(({ status }) => status === 'claimed')?.at ?? '';

async function attache<T>(...command: string[]): Promise<T> {
  const environment = { ATTACHE_DATABASE_URL: cluster.stack.database.urlOf('operator') };
  const { stdout, stderr } = await runCommand([...command, '--json'], environment);
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout);
}

async function ownerOf({ sessionId }: Talk, tenant = 'local'): Promise<ClusterGateway> {
  type Listed = { items: { sessionId: string; gateway?: string }[] };
  const { items } = await attache<Listed>('session', 'list', tenant);
  const name = items.find((item) => item.sessionId === sessionId)?.gateway;
  const owner = cluster.gateways.find((gateway) => gateway.name === name);
  if (!owner) throw new Error(`no gateway has ${sessionId}`);
  return owner;
}

async function createTenant(name: string): Promise<Api> {
  const { secret } = await attache<{ secret: string }>('tenant', 'create', name);
  return createApi(cluster.stack.url, secret);
}

const alive = async (gateway: ClusterGateway) => {
  const { exitCode, signalCode } = gateway.service.process;
  if (exitCode !== null || signalCode !== null) await gateway.start();
};

(hasServers ? describe : describe.skip)(hasServers ? title : `${title}: it needs Postgres, NATS and MinIO`, () => {
  const drawn = drawTests({ of: 6, few: 2 });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'attache-rare-'));
    // A program that the second gateway alone has.
    await writeFile(join(folder, 'rare-agent'), `#!/bin/sh\nexec "${process.execPath}" "${exampleAgent}" "$@"\n`);
    await chmod(join(folder, 'rare-agent'), 0o755);
    const program = { runtime: 'acp', command: ['rare-agent'], ownTools: 'none' };
    const rare = { ...program, provider: 'example', model: 'example-vision' };
    const own = { ATTACHE_PINNED_TENANT: '', ATTACHE_MAX_AGENTS: '1' };
    cluster = await startCluster(starts as ServerStarts, 2, {
      profiles: { rare: { ...rare, sandbox: { mode: 'none' } } },
      environments: [own, { ...own, PATH: `${folder}:${process.env.PATH}` }],
    });
    api = cluster.stack.api;
  });
  afterAll(async () => {
    await cluster?.stop();
    await rm(folder, { recursive: true, force: true });
  });
  afterEach(async () => {
    for (const gateway of cluster.gateways) await alive(gateway);
  });

  drawn('what one has no room for goes to the other, and what finds none waits for a slot [DL-52 BX-27]', async () => {
    const talks = [await open(), await open(), await open()];
    const [first, second, third] = talks as [Talk, Talk, Talk];
    const one = await occupy(first);
    const two = await occupy(second);
    expect((await ownerOf(first)).name).not.toBe((await ownerOf(second)).name);
    const three = await say(third);
    await seenWaiting(third, three, 'slot');
    const behind = await say(second);
    await seenWaiting(second, behind, 'agent');
    // The turn that ends makes room: its agent rests, and ends for the one that waits.
    await release(first);
    const [a, c] = [await api.settled(one), await api.settled(three)];
    expect(claimedAt(c) >= respondedAt(a)).toBe(true);
    await release(second);
    const ends = [a, await api.settled(two), c, await api.settled(behind)];
    expect(ends.map(({ status }) => status)).toEqual(Array(4).fill('responded'));
  });

  drawn(
    'a tenant that asks for every slot does not keep another one waiting for more than a turn [DL-52]',
    async () => {
      const greedy = await createTenant('greedy');
      const modest = await createTenant('modest');
      const talks = await Promise.all(Array.from({ length: 8 }, () => open('example', greedy)));
      const asked = await Promise.all(talks.map(async (talk) => ({ talk, id: await say(talk, 1_500) })));
      const [first] = asked;
      if (first) await vi.waitUntil(async () => (await greedy.delivery(first.id)).waitsFor !== 'owner', WAIT);
      const talk = await open('example', modest);
      const id = await say(talk);
      const answered = respondedAt(await modest.settled(id));
      const ends = await Promise.all(asked.map((one) => greedy.settled(one.id)));
      expect(ends.every(({ status }) => status === 'responded')).toBe(true);
      // Two of the eight ran when it came, and two more may have been let in before it was seen.
      const before = ends.filter((end) => respondedAt(end) < answered);
      expect(before.length).toBeLessThanOrEqual(5);
    },
  );

  drawn('a program that one full gateway alone has is waited for there [DL-52]', async () => {
    const busy = await open('rare');
    const one = await occupy(busy);
    expect((await ownerOf(busy)).name).toBe(cluster.gateways[1]?.name);
    const waiting = await open('rare');
    const two = await say(waiting);
    await seenWaiting(waiting, two, 'slot');
    await release(busy);
    const ends = await Promise.all([one, two].map((id) => api.settled(id)));
    expect(ends.map(({ status }) => status)).toEqual(['responded', 'responded']);
    expect((await ownerOf(waiting)).name).toBe(cluster.gateways[1]?.name);
  });

  drawn(
    'a program that no gateway has is waited for, and its session goes to the one that comes with it [DL-52 DL-05]',
    async () => {
      const [, having] = cluster.gateways;
      await having?.service.end('SIGTERM');
      const talk = await open('rare');
      const id = await say(talk);
      await seenWaiting(talk, id, 'program');
      await having?.start();
      expect((await api.settled(id)).status).toBe('responded');
      expect((await ownerOf(talk)).name).toBe(having?.name);
    },
  );

  drawn(
    'a tenant runs no more agents than it may, wherever they run, and a resting one ends for the next [DL-52]',
    async () => {
      const small = await createTenant('small');
      await attache('tenant', 'set', 'small', '--max-live-agents', '1');
      const [first, second] = [await open('example', small), await open('example', small)];
      const one = await occupy(first);
      const two = await say(second);
      await seenWaiting(second, two, 'slot');
      await release(first);
      const ends = await Promise.all([small.settled(one), small.settled(two)]);
      expect(ends.map(({ status }) => status)).toEqual(['responded', 'responded']);
      const [a, b] = ends as [Delivery, Delivery];
      expect(claimedAt(b) >= respondedAt(a)).toBe(true);
      const stops = (await small.events(first.sessionId)).filter(({ kind }) => kind === 'agent.stopped');
      expect(stops.map(({ data }) => data.reason)).toEqual(['idle']);
    },
  );

  drawn('a session that an operator moves twice, to a gateway that dies, loses nothing [DL-61 BX-16]', async () => {
    const talk = await open();
    const one = await say(talk, 1_500);
    await isInTurn(talk, one);
    const owner = await ownerOf(talk);
    const other = cluster.gateways.find(({ name }) => name !== owner.name);
    const move = () => attache('session', 'move', 'local', talk.sessionId, '--to', other?.name ?? '');
    await move();
    const two = await say(talk);
    await move().catch(() => undefined);
    await other?.service.end('SIGKILL');
    const three = await say(talk);
    const ends = await Promise.all([one, two, three].map((id) => api.settled(id)));
    for (const { status, failure } of ends)
      expect(status === 'responded' || failure?.code === 'delivery_outcome_unknown').toBe(true);
    expect(ends[2]?.status).toBe('responded');
  });
});
