import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Failure, FailureCode } from '@attache/contracts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { explainStart } from './explain-start.ts';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'attache-old-'));
});
afterAll(() => rm(root, { recursive: true }));

const failureOf = (code: FailureCode): Failure => ({
  ...{ code, severity: 'error', userMessage: 'of the driver', diagnostic: 'unknown option', retryable: true },
});

/** Pi as npm installs it. */
async function install(version: string): Promise<string> {
  const folder = join(root, version, 'node_modules', 'pi');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'pi'), '#!/bin/sh\n', { mode: 0o755 });
  await writeFile(join(folder, 'package.json'), JSON.stringify({ version }));
  return join(folder, 'pi');
}
const explain = async (version: string, code: FailureCode = 'delivery_agent_start_failed') =>
  explainStart(failureOf(code), { runtime: 'pi-rpc', command: [await install(version)] }, '');

it.each(['0.1.2', '0.86.99', '0.87.0-beta.1'])(
  'a program of version %s that does not start is older than the one that was tried, and its failure says so [DL-38]',
  async (version) => {
    const explained = await explain(version);
    expect(explained.userMessage).toMatch(/ did not start\. This release was tried with .*: update the program/);
    expect(explained).toMatchObject({ code: 'delivery_agent_start_failed', safeDetails: { version } });
  },
);

it('is what the driver says of a program that is as new, or whose start failed for another reason', async () => {
  expect((await explain('999.0.0')).userMessage).toBe('of the driver');
  expect((await explain('0.1.2', 'delivery_agent_auth_required')).userMessage).toBe('of the driver');
  const unknown = await explainStart(
    failureOf('delivery_agent_start_failed'),
    { runtime: 'acp', command: ['/opt/any'] },
    '',
  );
  expect(unknown.userMessage).toBe('of the driver');
});
