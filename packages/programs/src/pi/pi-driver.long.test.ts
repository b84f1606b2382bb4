import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DriverHooks } from '@attache/agent-process';
import { describeDriver } from '@attache/agent-process/contract';
import { createDriver, type DriverOptions } from '@attache/agent-process/create-driver';
import { givenSpec } from '@attache/agent-process/given-spec';
import { expect, it, onTestFinished } from 'vitest';
import { piDriver } from './pi-driver.ts';

const fakePi = [process.execPath, fileURLToPath(new URL('./__fixtures__/fake-pi.ts', import.meta.url))];

const createPiDriver = (options: DriverOptions) =>
  createDriver({ runtime: 'pi-rpc', programOf: () => piDriver }, options);

describeDriver({
  title: 'pi',
  createDriver: createPiDriver,
  command: fakePi,
  isResumable: true,
  isSteerable: false,
  namesTurns: false,
  signInDirective: 'sign-in',
});

it('a pi whose extension was not loaded is not worked with: nobody would be asked about its calls [BX-21]', async () => {
  const root = await mkdtemp(path.join(tmpdir(), 'attache-pi-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const driver = createPiDriver({
    inherited: { PATH: `${path.dirname(process.execPath)}:/usr/bin:/bin` },
    redact: (text) => text,
    client: { name: 'test', version: '0' },
  });
  const spec = givenSpec({ command: [...fakePi, 'bare'], folder: path.join(root, 'agent'), startMs: 90_000 });
  expect(await driver.start(spec, {} as DriverHooks)).toMatchObject({
    status: 'failed',
    failure: { code: 'delivery_agent_start_failed', diagnostic: expect.stringContaining('extension was not loaded') },
  });
});
