import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readEnvironment } from '@attache/infra/config';
import { findServers } from '@attache/infra/find-servers';
import type { ServerStarts } from '@attache/infra/native/servers/server-starts';
import { findProcessesIn, runCommand } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRandom } from '../faults/seeded-random.ts';
import { createPatientApi } from '../faults-hosted/patient-api.ts';
import { checkCluster } from './check-cluster.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { type Operator, startLoad } from './load.ts';
import { runNemesis } from './nemesis.ts';
import { readTakeoverOptions } from './takeover-options.ts';

const { seed, faultCount, timeLimitMs } = readTakeoverOptions();
const GATEWAYS = 3;
const SESSIONS = 6;

const { starts } = await findServers({ environment: readEnvironment() });
const hasServers = Boolean(starts.postgres && starts.nats && starts.minio);
const title = 'several gateways, one of which is always in trouble';

let cluster: Cluster;

(hasServers ? describe : describe.skip)(hasServers ? title : `${title}: they need Postgres, NATS and MinIO`, () => {
  beforeAll(async () => {
    cluster = await startCluster(starts as ServerStarts, GATEWAYS);
  });
  afterAll(() => cluster?.stop(), 60_000);

  it(
    'deliver each message once, in its order, or say that nobody knows [BX-16 DL-61 DL-82 W4 W10 W16 W16]',
    async () => {
      const random = createRandom(seed);
      const retries = new Map<string, number>();
      const api = createPatientApi(cluster.stack.api, retries);
      let unparked = 0;
      const environment = { ATTACHE_DATABASE_URL: cluster.stack.database.urlOf('operator') };
      const operator: Operator = {
        async listParked() {
          const { stdout } = await runCommand(['session', 'list', 'local', '--parked', '--json'], environment);
          const { items } = JSON.parse(stdout) as { items: { sessionId: string }[] };
          return items.map(({ sessionId }) => sessionId);
        },
        async unpark(sessionId) {
          const { stdout } = await runCommand(['session', 'unpark', 'local', sessionId, '--json'], environment);
          if (stdout.includes('"unparked"')) unparked += 1;
        },
      };
      const load = await startLoad({ api, operator }, createRandom(seed + 1), SESSIONS);
      const begun = performance.now();
      const faults = await runNemesis({
        ...{ gateways: cluster.gateways, random, faultCount },
        isOver: () => performance.now() - begun > timeLimitMs,
        onFault: (line) => process.stdout.write(`takeover: ${line}\n`),
      });
      const ends = await load.finish();
      const verdict = await checkCluster(api, cluster.gateways, load.conversations, ends);
      const count = Object.values(faults).reduce((sum, each) => sum + each, 0);
      process.stdout.write(`takeover: ${JSON.stringify({ seed, count, unparked, faults, ...verdict })}\n`);
      expect(verdict.violations).toEqual([]);
      await Promise.all(cluster.gateways.map(({ service }) => service.end('SIGTERM')));
      await delay(500);
      for (const { dataDir } of cluster.gateways)
        expect(await (await findProcessesIn(join(dataDir, 'agents'))).list()).toEqual([]);
    },
    timeLimitMs + 240_000,
  );
});
