import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { idFromUuid, type Profile } from '@attache/contracts';
import { expect, it } from 'vitest';
import { type Conduct, hostAgents } from '../__fixtures__/inner-agents.ts';
import { type Fixture, openFixture, readAgent } from '../__fixtures__/open-fixture.ts';
import { launchAgent } from './launch-agent.ts';

async function launch(fixture: Fixture, conduct: Conduct = {}, given: Partial<Profile> = {}) {
  const { deps, driver } = hostAgents(fixture, conduct, given);
  const profile = deps.profiles.example as Profile;
  const folder = join(deps.settings.agentsFolder, idFromUuid('agent', fixture.agentId));
  const start = async (drivers = deps.drivers) =>
    launchAgent({ ...deps, drivers }, fixture.session, await readAgent(fixture), { profile, folder });
  return { start, driver, folder };
}

const socketOf = ({ deps, agentId }: Fixture) =>
  join(deps.settings.runtimeFolder, `${agentId.replaceAll('-', '').slice(0, 20)}.sock`);

it('gives an agent its target, a folder, and a socket that nobody else may use', async () => {
  const fixture = await openFixture();
  const { start, driver, folder } = await launch(fixture, {}, { env: { LANG: 'C' } });
  const launched = await start();
  expect(launched).toMatchObject({ status: 'started', agent: { folder, transport: 'acp/stdio' } });
  expect(driver.started[0]?.spec).toMatchObject({
    ...{ agentId: idFromUuid('agent', fixture.agentId), folder, socketPath: socketOf(fixture) },
    ...{ provider: 'anthropic', model: 'model-1', env: { LANG: 'C' }, permissionMode: 'gated' },
    modelTakes: { image: 'unknown', text: 'yes' },
    token: expect.stringMatching(/^ata_[\w-]{43}$/),
  });
  expect((await stat(socketOf(fixture))).mode & 0o777).toBe(0o600);
  if (launched.status === 'started') await launched.agent.ways.close();
});

it('keeps by what a later process finds its conversation again', async () => {
  const fixture = await openFixture();
  const { start, driver } = await launch(fixture, { resumeReference: 'thread-1' });
  for (const expected of [undefined, 'thread-1']) {
    const launched = await start();
    if (launched.status === 'failed') throw new Error(launched.failure.code);
    expect(driver.started.at(-1)?.spec.resumeReference).toBe(expected);
    await launched.agent.keepReference();
    await launched.agent.ways.close();
  }
});

it('says that there is no driver, and leaves nothing', async () => {
  const fixture = await openFixture();
  const { start } = await launch(fixture);
  expect(await start({})).toMatchObject({ status: 'failed', failure: { code: 'delivery_agent_start_failed' } });
  expect(existsSync(socketOf(fixture))).toBe(false);
});

it('names the key that is missing and never its value, and closes the socket [DL-57]', async () => {
  const fixture = await openFixture();
  const { start, driver } = await launch(fixture, {}, { secretEnv: { API_KEY: 'env:NOWHERE' } });
  expect(await start()).toMatchObject({
    status: 'failed',
    failure: { code: 'delivery_agent_auth_required', diagnostic: expect.stringContaining('secretEnv.API_KEY') },
  });
  expect([driver.started, existsSync(socketOf(fixture))]).toEqual([[], false]);
});

it("starts nothing without the tenant's own key, and says how to save it [DL-57 BX-24]", async () => {
  const fixture = await openFixture();
  const endpoint = { api: 'anthropic', baseUrl: 'http://127.0.0.1:1', apiKey: 'tenant:model-key' } as const;
  const { start, driver } = await launch(fixture, {}, { endpoint });
  expect(await start()).toMatchObject({
    status: 'failed',
    failure: {
      code: 'delivery_agent_auth_required',
      userMessage: expect.stringContaining('PUT /v1/secrets/model-key'),
      retryable: true,
    },
  });
  expect([driver.started, existsSync(socketOf(fixture))]).toEqual([[], false]);
});

it('passes on why a program did not start, and closes the socket', async () => {
  const fixture = await openFixture();
  const failure = {
    ...({ code: 'delivery_agent_crashed', severity: 'error', retryable: true } as const),
    ...{ userMessage: 'm', diagnostic: 'd' },
  };
  const { start } = await launch(fixture, { startFailure: failure });
  expect(await start()).toEqual({ status: 'failed', failure });
  expect(existsSync(socketOf(fixture))).toBe(false);
});
