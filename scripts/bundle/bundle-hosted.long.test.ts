import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Backends, startBackends } from '@attache/infra/backends';
import { readEnvironment } from '@attache/infra/config';
import { findNativeServers } from '@attache/infra/find-servers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BundleFixture, makeBundleFixture, type StartedBundle, uploadPicture } from './bundle-fixture.ts';

const run = promisify(execFile);
const check = fileURLToPath(new URL('../../infra/images/check-readiness.mjs', import.meta.url));
const { missing } = await findNativeServers({ environment: readEnvironment() }, ['postgres', 'nats', 'minio']);
const title = ['the images, without their containers', ...missing.map(({ why }) => why)].join(': ');

const services = ['ingest', 'projector', 'runner-gateway'] as const;

/** Runs the health check of the images; its exit code, and what it says. */
async function checkHealth(opsPort: string): Promise<{ code: number; said: string }> {
  try {
    return { code: 0, said: (await run(process.execPath, [check], { env: { ATTACHE_OPS_PORT: opsPort } })).stdout };
  } catch (error) {
    const { code, stdout } = error as { code: number; stdout: string };
    return { code, said: stdout };
  }
}

describe.skipIf(missing.length > 0)(title, () => {
  let bundle: BundleFixture;
  let backends: Backends;
  const started: StartedBundle[] = [];
  beforeAll(async () => {
    bundle = await makeBundleFixture(['sharp']);
    backends = await startBackends({ folder: join(bundle.folder, 'servers'), isDurable: false });
  });
  afterAll(async () => {
    await backends?.stop();
    await bundle?.remove();
  });

  it('do their job from the same files and packages: migrated, ready by their health check, a picture inspected', async () => {
    const migrated = await bundle.run(['migrate'], {
      from: bundle.bare,
      environment: backends.environmentOf('migrate'),
    });
    expect(migrated).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(/^Stack: hosted, database \S+\n$/) });
    for (const name of services) {
      const environment = { ATTACHE_PUBLIC_URL: 'http://127.0.0.1:4100', ...backends.environmentOf(name) };
      const from = name === 'ingest' ? bundle.bare : bundle.withPackages;
      started.push(bundle.start(['start', name], { from, environment }));
    }
    for (const service of started) {
      const opsPort = await service.findLine(/^Operations: http:\/\/127\.0\.0\.1:(\d+)$/m);
      expect(await checkHealth(opsPort)).toMatchObject({ code: 0, said: expect.stringContaining('database ok') });
    }
    const url = await started[0]?.findLine(/^Attaché ready on (http:\S+)$/m);
    expect(await uploadPicture(url ?? '', backends.apiKey)).toMatchObject({ status: 'ready', facts: { width: 1 } });
  });

  it('end at SIGTERM with nothing to complain about; then their health check fails', async () => {
    expect(started.length).toBe(services.length);
    expect(await Promise.all(started.map((service) => service.stop()))).toEqual([0, 0, 0]);
    expect(await checkHealth('1')).toEqual({ code: 1, said: 'the operations port does not answer\n' });
  });
});
