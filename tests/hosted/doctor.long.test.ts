import { whereSandboxed } from '@attache/agent-process/where-sandboxed';
import { type HostedStack, runCommand, shareServers, startHosted } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';

const servers = inject('servers');
const hasStack = Boolean(servers.postgres && servers.minio && servers.nats) && (await whereSandboxed());
const title = 'attache doctor on the hosted stack';

type Report = { ok: boolean; findings: { name: string; state: string; detail: string; fix?: string }[] };

let stack: HostedStack;

async function runDoctor(changes: Record<string, string> = {}): Promise<{ exitCode: number | null; report: Report }> {
  const environment = { ...stack.environmentOf('ingest'), ATTACHE_PORT: '0', ...changes };
  const { exitCode, stdout, stderr } = await runCommand(['doctor', '--json'], environment);
  if (!stdout.startsWith('{')) throw new Error(`no report: ${stdout}${stderr}`);
  return { exitCode, report: JSON.parse(stdout) as Report };
}

(hasStack ? describe : describe.skip)(
  hasStack ? title : `${title}: it needs Postgres, NATS, MinIO and a sandbox`,
  () => {
    beforeAll(async () => {
      stack = await startHosted({ servers: shareServers(servers) });
    });
    afterAll(() => stack?.stop());

    it('finds every server well, with its version', async () => {
      const { exitCode, report } = await runDoctor();
      expect(exitCode).toBe(0);
      const found = new Map(report.findings.map((finding) => [finding.name, finding]));
      expect(found.get('database')).toMatchObject({ state: 'ok', detail: expect.stringMatching(/Postgres \d/) });
      expect(found.get('event bus')).toMatchObject({ state: 'ok', detail: expect.stringMatching(/NATS 2\.\d+/) });
      expect(found.get('object store')?.state).not.toBe('failed');
    });

    it('says of each server that is not well what to do, and ends 1; the others are checked all the same', async () => {
      const { exitCode, report } = await runDoctor({
        ATTACHE_S3_BUCKET: 'attache-no-such-bucket',
        ATTACHE_NATS_URL: 'nats://127.0.0.1:9',
        ATTACHE_S3_REGIO: 'eu-west-1',
      });
      expect(exitCode).toBe(1);
      const states = Object.fromEntries(report.findings.map(({ name, state, fix }) => [name, [state, fix ?? '']]));
      expect(states).toMatchObject({
        database: ['ok', ''],
        'event bus': ['failed', expect.stringContaining('ATTACHE_NATS_URL')],
        'object store': ['failed', expect.stringContaining('ATTACHE_S3_BUCKET')],
        settings: ['warning', expect.stringContaining('ATTACHE_S3_REGION')],
      });
    });
  },
);
