import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { connectJetstream, ensureTopology } from '@attache/event-bus/jetstream';
import { createLogger } from '@attache/telemetry';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { composeSecrets } from '../compose-secrets.ts';
import { type RunningNats, startNats } from '../native/servers/start-nats.ts';
import { passwordVariables } from './compose-nats-config.ts';

const run = promisify(execFile);
const path = fileURLToPath(new URL('nats.conf', import.meta.url));
const text = readFileSync(path, 'utf8');
const secrets = composeSecrets();
const log = createLogger({ service: 'test', level: 'silent' });

const { programs, missing } = inject('servers');
const program = programs.nats ?? '';
const why = missing.find(({ name }) => name === 'nats')?.why;
const services = Object.keys(passwordVariables) as (keyof typeof passwordVariables)[];

describe.skipIf(why !== undefined)(`nats.conf${why === undefined ? '' : `: ${why}`}`, () => {
  let nats: RunningNats;
  beforeAll(async () => {
    // As it is, but for port and folder, which are this test's, and the variables, which become what they hold.
    const config = text
      .replace(/^http: .*$|^ *store_dir: .*$/gm, '')
      .replaceAll(/\$(NATS_[A-Z_]+)/g, (_, name) => secrets[name] ?? '');
    nats = await startNats({ program, config });
  });
  afterAll(() => nats?.stop());

  // The program itself is at hand only where it does not run in a container.
  if (!program.startsWith('docker://')) {
    it('is taken by a real server with the secrets of make-secrets, and not without them', async () => {
      const checked = await run(program, ['-t', '-c', path], { env: secrets });
      expect(checked.stderr).toContain('is valid');
      await expect(run(program, ['-t', '-c', path], { env: {} })).rejects.toThrow('NATS_INGEST_PASSWORD');
    });
  }

  it.each(services)('lets %s make what it needs', async (service) => {
    const url = nats.url.replace('//', `//${service}:${secrets[passwordVariables[service]]}@`);
    const link = await connectJetstream({ url, service, log });
    await expect(ensureTopology(link)).resolves.toBeUndefined();
    await link.close();
  });

  it('knows nobody else, and no user under the password of another', async () => {
    const wrong = nats.url.replace('//', `//ingest:${secrets.NATS_PROJECTOR_PASSWORD}@`);
    for (const url of [nats.url, wrong]) {
      await expect(connectJetstream({ url, service: 'ingest', log })).rejects.toThrow('refuses the user or password');
    }
  });
});
