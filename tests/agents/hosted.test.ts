import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readEnvironment } from '@attache/infra/config';
import { findServers } from '@attache/infra/find-servers';
import type { ServerStarts } from '@attache/infra/native/servers/server-starts';
import { awaitProbes } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cluster, startCluster } from '../takeover/cluster.ts';
import { findOwner } from '../takeover/find-owner.ts';
import { composeProfile, listInstalled, secretVariables } from './src/agents-stack.ts';
import { digestsOf } from './src/driven.ts';
import { png } from './src/files.ts';
import { spoilPacksIn } from './src/spoil-packs.ts';
import type { ModelRequest } from './src/stub/model-request.ts';
import { type ModelStub, startModelStub } from './src/stub/model-stub.ts';
import { converse, type Place, uploadSample } from './src/take-turn.ts';

const { starts } = await findServers({ environment: readEnvironment() });
const hasServers = Boolean(starts.postgres && starts.nats && starts.minio);
const title = 'a conversation whose gateway and folder are gone';
const runtimes = await listInstalled(process.env);

let cluster: Cluster;
let stub: ModelStub;

const eventsOf = async ({ session }: Place, kind: string) =>
  (await cluster.stack.api.events(session.id)).filter((event) => event.kind === kind).map(({ data }) => data);

/** A turn, and the checkpoint after it. */
async function talk(place: Place, text: string, attachmentIds: string[] = []) {
  const { api } = cluster.stack;
  const delivery = await converse(api, place, text, attachmentIds);
  await api.logged(
    place.session.id,
    ({ kind, data }) => kind === 'agent.checkpointed' && data.deliveryId === delivery.id,
  );
  return delivery;
}

/** Kills the gateway of a session and removes all that its agents left there, as a machine that is gone. */
async function loseMachine({ session }: Place): Promise<string> {
  const owner = await findOwner(cluster, session.id);
  await owner.service.end('SIGKILL');
  await rm(join(owner.dataDir, 'agents'), { recursive: true, force: true });
  return owner.name;
}

async function startThoseThatEnded(): Promise<void> {
  for (const gateway of cluster.gateways) {
    const { exitCode, signalCode } = gateway.service.process;
    if (exitCode !== null || signalCode !== null) await gateway.start();
  }
}

(hasServers ? describe : describe.skip)(hasServers ? title : `${title}: it needs Postgres, NATS and MinIO`, () => {
  beforeAll(async () => {
    stub = await startModelStub();
    const profiles = runtimes.map((runtime) => [runtime.key, composeProfile(runtime, stub.url, '')]);
    cluster = await startCluster(starts as ServerStarts, 2, {
      ...{ profiles: Object.fromEntries(profiles), environment: secretVariables },
    });
    // A gateway that gets no processor for three seconds gives up its sessions, and their agents with what was not kept yet.
    const describing = runtimes.filter(({ runtime }) => runtime === 'acp').map(({ key }) => key);
    await awaitProbes(cluster.stack.database.superuserUrl, describing);
  });
  afterAll(async () => {
    await cluster?.stop();
    await stub?.stop();
  });

  it.each(runtimes)(
    'continues with $key at another gateway by its checkpoint, and by its history where that is spoiled [BX-26 SR-15 BX-16]',
    async ({ key, model }) => {
      const { api } = cluster.stack;
      const asked: ModelRequest[] = [];
      stub.script((request) => {
        if (request.model === model) asked.push(request);
        return { text: 'yes' };
      });
      const place = await api.createSession({
        ...{ profile: key, model, replayPolicy: { originals: 'untilCompaction' } },
      });
      const { id } = await uploadSample(api, place, png);
      await talk(place, 'Before a loss.', [id]);

      const first = await loseMachine(place);
      expect((await talk(place, 'After a loss.')).receipt).toMatchObject({ continuedBy: 'checkpoint' });
      expect((await findOwner(cluster, place.session.id)).name).not.toBe(first);
      expect(digestsOf(asked.at(-1))).toEqual([png.sha256]);
      const said = asked.at(-1)?.texts.join('\n') ?? '';
      for (const words of ['Before a loss.', 'After a loss.']) expect(said).toContain(words);
      expect(said).not.toContain('[end of history');
      expect(await eventsOf(place, 'agent.restored')).toHaveLength(1);
      await startThoseThatEnded();

      expect(await spoilPacksIn(cluster.store)).toBeGreaterThan(0);
      await loseMachine(place);
      const delivery = await converse(api, place, 'After two losses.');
      expect(delivery.receipt).toMatchObject({ continuedBy: 'rebuild' });
      expect(await eventsOf(place, 'agent.rebuilt')).toMatchObject([
        { reason: 'checkpoint-spoiled', omittedMessages: 0, keptOriginals: 1 },
      ]);
      expect(digestsOf(asked.at(-1))).toEqual([png.sha256]);
      const told = asked.at(-1)?.texts.join('\n') ?? '';
      for (const words of ['Before a loss.', 'After a loss.', 'After two losses.']) expect(told).toContain(words);
      await startThoseThatEnded();
      await api.call('POST', `/sessions/${place.session.id}/end`);
    },
  );
});
