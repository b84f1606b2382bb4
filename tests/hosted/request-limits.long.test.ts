import { setTimeout as delay } from 'node:timers/promises';
import { findFreePort } from '@attache/infra/native/processes/free-port';
import { type HostedStack, type SpawnedService, shareServers, spawnService, startHosted } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';

const servers = inject('servers');
const hasStack = Boolean(servers.postgres && servers.minio && servers.nats);
const title = 'three processes of ingest';

const PER_SECOND = 40;
const WINDOW_MS = 10_000;
// Together four and a half times what is admitted, and spread unevenly.
const RATES = [100, 50, 30];

let stack: HostedStack;
const others: SpawnedService[] = [];
const urls: string[] = [];

const isAdmitted = async (url: string): Promise<boolean> => {
  const response = await fetch(`${url}/v1/sessions?limit=1`, { headers: { authorization: `Bearer ${stack.apiKey}` } });
  await response.arrayBuffer();
  return response.status === 200;
};

/** Sends so many requests a second until the time is over; answers how many were admitted. */
async function send(url: string, perSecond: number, untilMs: number): Promise<number> {
  const answers: Promise<boolean>[] = [];
  while (performance.now() < untilMs) {
    answers.push(isAdmitted(url));
    await delay(1_000 / perSecond);
  }
  return (await Promise.all(answers)).filter(Boolean).length;
}

(hasStack ? describe : describe.skip)(hasStack ? title : `${title}: they need Postgres, NATS and MinIO`, () => {
  beforeAll(async () => {
    const environment = { ATTACHE_RATE_PER_TENANT: String(PER_SECOND), ATTACHE_RATE_PER_KEY: '0' };
    stack = await startHosted({ servers: shareServers(servers), environment });
    urls.push(stack.url);
    for (let count = 0; count < 2; count += 1) {
      const port = await findFreePort();
      others.push(await spawnService('ingest', { ...stack.environmentOf('ingest'), ATTACHE_PORT: String(port) }));
      urls.push(`http://127.0.0.1:${port}`);
    }
  });
  afterAll(async () => {
    await Promise.all(others.map((service) => service.end('SIGTERM')));
    await stack?.stop();
  });

  it('admit together 0.9 to 1.2 times a limit of requests over ten seconds', async () => {
    const untilMs = performance.now() + WINDOW_MS;
    const admitted = await Promise.all(urls.map((url, index) => send(url, RATES[index] ?? 1, untilMs)));
    const total = admitted.reduce((sum, count) => sum + count, 0);
    process.stdout.write(`admitted of ${(PER_SECOND * WINDOW_MS) / 1000}: ${admitted.join(' + ')}\n`);
    expect(total / ((PER_SECOND * WINDOW_MS) / 1000)).toBeGreaterThanOrEqual(0.9);
    expect(total / ((PER_SECOND * WINDOW_MS) / 1000)).toBeLessThanOrEqual(1.2);
  });

  it('refuse together an address that presented too many wrong keys to one of them [S4]', async () => {
    const refusal = (url: string) =>
      fetch(`${url}/v1/sessions`, { headers: { authorization: 'Bearer att_wrong' } }).then(({ status }) => status);
    // The default is 300 in a minute.
    for (let count = 0; count < 310; count += 1) await refusal(urls[count % 2] ?? '');
    // It hears of it within a second or two, long before it has counted as many itself.
    await expect.poll(() => refusal(urls[2] ?? ''), { timeout: 60_000, interval: 500 }).toBe(429);
  });
});
