import { Fault } from '@attache/contracts';
import { afterEach, describe, expect, it } from 'vitest';
import { type DependencyCheck, type OperationsServer, serveOperations } from './serve-operations.ts';

let server: OperationsServer | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

async function serve(
  checks: Record<string, DependencyCheck>,
  metrics?: () => Promise<string>,
): Promise<OperationsServer> {
  server = await serveOperations({ host: '127.0.0.1', port: 0, checks, metrics });
  return server;
}

async function get(path: string): Promise<{ status: number; lines: string[] }> {
  const response = await fetch(`${server?.url}${path}`);
  return { status: response.status, lines: (await response.text()).trimEnd().split('\n') };
}

describe('readiness', () => {
  it('is 200 with a line and a latency for each dependency that is well', async () => {
    await serve({ database: async () => {}, 'blob-store': async () => {} });
    const { status, lines } = await get('/readyz');
    expect(status).toBe(200);
    expect(lines).toEqual([
      expect.stringMatching(/^database ok [\d.]+ ms$/),
      expect.stringMatching(/^blob-store ok [\d.]+ ms$/),
    ]);
  });

  it('is 503 where one is not well; a fault says why, anything else says nothing of itself', async () => {
    await serve({
      database: async () => {},
      'blob-store': () => Promise.reject(new Fault('STORAGE_UNAVAILABLE', 'The folder is read-only.')),
      'event-bus': () => Promise.reject(new Error('connect to 10.0.0.1 as admin:hunter2')),
    });
    const { status, lines } = await get('/readyz');
    expect(status).toBe(503);
    expect(lines).toEqual([
      expect.stringMatching(/^database ok /),
      expect.stringMatching(/^blob-store failed [\d.]+ ms: The folder is read-only\.$/),
      expect.stringMatching(/^event-bus failed [\d.]+ ms: it does not answer$/),
    ]);
  });

  it('falls once a stop has begun, while the process is still alive', async () => {
    const { startDraining } = await serve({ database: async () => {} });
    startDraining();
    const { status, lines } = await get('/readyz');
    expect(status).toBe(503);
    expect(lines.at(-1)).toBe('process draining');
    expect(await get('/livez')).toEqual({ status: 200, lines: ['ok'] });
  });
});

describe('metrics', () => {
  it('are served as the Prometheus text format asks', async () => {
    await serve({}, async () => 'up 1');
    const response = await fetch(`${server?.url}/metrics`);
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(await response.text()).toBe('up 1\n');
  });

  it('that cannot be read are 503 and say nothing of why; where nothing is measured there are none', async () => {
    await serve({}, () => Promise.reject(new Error('canary')));
    expect(await get('/metrics')).toEqual({ status: 503, lines: ['The metrics cannot be read now.'] });
    await server?.stop();
    await serve({});
    expect((await get('/metrics')).status).toBe(404);
  });
});

describe('the operations port', () => {
  it('has nothing else on it', async () => {
    await serve({});
    expect((await get('/v1/sessions')).status).toBe(404);
  });

  it('that is taken is a fault with what to do', async () => {
    const { url } = await serve({});
    const port = Number(new URL(url).port);
    await expect(serveOperations({ host: '127.0.0.1', port, checks: {} })).rejects.toMatchObject({
      code: 'CONFIGURATION_INVALID',
      message: `The operations port ${port} is taken. Set ATTACHE_OPS_PORT to another one (0 picks a free one).`,
    });
  });
});
