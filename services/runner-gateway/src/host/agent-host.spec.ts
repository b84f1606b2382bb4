import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { claimSession, takeReplica } from '@attache/database';
import { expect, it, vi } from 'vitest';
import { hostAgents } from '../__fixtures__/inner-agents.ts';
import { type Fixture, openFixture, readAgent } from '../__fixtures__/open-fixture.ts';

const agentEvents = async (fixture: Fixture) =>
  (await fixture.readEvents())
    .filter(({ kind }) => kind.startsWith('agent.'))
    .map(({ kind, data }) => ({ kind, data }));

it('starts an agent once for as many turns as there are, and says so once', async () => {
  const fixture = await openFixture();
  const { host, driver } = hostAgents(fixture);
  const row = await readAgent(fixture);
  const [first, second] = [await host.start(fixture.session, row), await host.start(fixture.session, row)];
  expect(first).toMatchObject({ status: 'started' });
  expect(second).toEqual(first);
  expect(driver.started).toHaveLength(1);
  expect(await agentEvents(fixture)).toMatchObject([{ kind: 'agent.started', data: { epoch: 1 } }]);
  expect(host.isBusy(fixture.sessionId)).toBe(true);
  await host.stopAll('shutdown');
});

it('records why it has stopped an agent, once its end is known, and closes its socket', async () => {
  const fixture = await openFixture();
  const { host, driver, ended } = hostAgents(fixture);
  await host.start(fixture.session, await readAgent(fixture));
  const { socketPath } = driver.started[0]?.spec ?? { socketPath: '' };
  expect(existsSync(socketPath)).toBe(true);
  expect(await host.stop(fixture.agentId, 'removed')).toBe(true);
  expect(existsSync(socketPath)).toBe(false);
  expect((await agentEvents(fixture)).at(-1)).toMatchObject({
    ...{ kind: 'agent.stopped', data: { reason: 'removed', signal: 'SIGTERM' } },
  });
  expect([host.isBusy(fixture.sessionId), ended]).toEqual([false, [fixture.sessionId]]);
  expect(await host.stop(fixture.agentId, 'removed')).toBe(false);
});

it('says that an agent crashed that ended by itself, and starts another one for the next turn', async () => {
  const fixture = await openFixture();
  const { host, driver } = hostAgents(fixture);
  const row = await readAgent(fixture);
  await host.start(fixture.session, row);
  driver.started[0]?.end({ exitCode: 3, diagnostic: 'out of luck' });
  expect(await host.start(fixture.session, row)).toMatchObject({ status: 'started' });
  expect(driver.started).toHaveLength(2);
  const [, stopped, startedAgain] = await agentEvents(fixture);
  expect(stopped).toMatchObject({ data: { reason: 'crashed', exitCode: 3, diagnostic: 'out of luck' } });
  expect(startedAgain).toMatchObject({ kind: 'agent.started' });
  await host.stopAll('shutdown');
});

it('starts an agent again for another target [BX-06]', async () => {
  const fixture = await openFixture();
  const { host, driver } = hostAgents(fixture);
  const row = await readAgent(fixture);
  await host.start(fixture.session, row);
  await host.start(fixture.session, { ...row, model: 'model-2' });
  expect(driver.started.map(({ spec }) => spec.model)).toEqual(['model-1', 'model-2']);
  expect((await agentEvents(fixture))[1]).toMatchObject({ data: { reason: 'target-changed' } });
  await host.stopAll('shutdown');
});

it('starts an agent in the sandbox of its profile, with the smaller limit of its memory [BX-22]', async () => {
  const fixture = await openFixture();
  const sandbox = { mode: 'bubblewrap', network: 'none', readOnly: ['/srv/a'], memoryBytes: 5, pids: 7 } as const;
  const { host, driver } = hostAgents(
    fixture,
    {},
    { sandbox: { ...sandbox, readOnly: ['/srv/a'] }, limits: { lineBytes: 1_000, memoryBytes: 9 } },
  );
  await host.start(fixture.session, await readAgent(fixture));
  const { spec } = driver.started[0] ?? {};
  const { privateFolders } = fixture.deps.settings;
  expect(spec).toMatchObject({
    sandbox: { readOnly: ['/srv/a'], privateFolders },
    limits: { memoryBytes: 5, processes: 7 },
  });
  await host.stopAll('shutdown');
});

it('takes the sandbox of its stack where a profile says nothing, and starts nothing that nobody says what to let reach [BX-22]', async () => {
  const fixture = await openFixture();
  const boxed = {
    ...fixture,
    deps: { ...fixture.deps, settings: { ...fixture.deps.settings, sandbox: 'bubblewrap' as const } },
  };
  const unsaid = hostAgents(boxed);
  expect(await unsaid.host.start(fixture.session, await readAgent(fixture))).toMatchObject({
    ...{ status: 'failed', failure: { code: 'delivery_agent_start_failed' } },
    failure: { userMessage: expect.stringContaining('"network"') },
  });
  expect(unsaid.driver.started).toEqual([]);
  const alone = hostAgents(boxed, {}, { sandbox: { network: 'none', readOnly: [] } });
  await alone.host.start(fixture.session, await readAgent(fixture));
  expect(alone.driver.started[0]?.spec.sandbox).toMatchObject({ readOnly: [] });
  await alone.host.stopAll('shutdown');
});

it('puts nothing around an agent whose profile says so, or says nothing', async () => {
  for (const sandbox of [undefined, { mode: 'none', network: 'none', readOnly: [], pids: 7 } as const]) {
    const fixture = await openFixture();
    const profile = sandbox === undefined ? {} : { sandbox: { ...sandbox, readOnly: [] } };
    const { host, driver } = hostAgents(fixture, {}, profile);
    await host.start(fixture.session, await readAgent(fixture));
    expect(driver.started[0]?.spec.sandbox).toBeUndefined();
    expect(driver.started[0]?.spec.limits?.processes).toBeUndefined();
    await host.stopAll('shutdown');
  }
});

it('starts nothing of a profile that is no longer offered', async () => {
  const fixture = await openFixture();
  const { host, driver } = hostAgents(fixture);
  const launched = await host.start(fixture.session, { ...(await readAgent(fixture)), profile: 'gone' });
  expect(launched).toMatchObject({ status: 'failed', failure: { code: 'delivery_target_unknown' } });
  expect(driver.started).toEqual([]);
});

it('lets no agent run on whose start it may not record, as another gateway has the session', async () => {
  const fixture = await openFixture();
  const { host, ended } = hostAgents(fixture);
  const { db, ownership } = fixture.deps;
  const other = { replicaId: randomUUID(), incarnation: randomUUID() };
  await takeReplica(db, { ...ownership.identity, leaseMs: 0 });
  await takeReplica(db, { ...other, leaseMs: 60_000 });
  await claimSession(db, { ...other, ...fixture.session });
  const started = host.start(fixture.session, await readAgent(fixture));
  await expect(started).rejects.toMatchObject({ code: 'OWNERSHIP_LOST' });
  expect([host.isBusy(fixture.sessionId), ended]).toEqual([false, [fixture.sessionId]]);
  expect(await agentEvents(fixture)).toEqual([]);
});

it('stops an agent that has rested for as long as its profile says', async () => {
  const fixture = await openFixture();
  const { host, ended } = hostAgents(fixture, {}, { limits: { lineBytes: 1_000, idleStopMs: 1 } });
  const launched = await host.start(fixture.session, await readAgent(fixture));
  if (launched.status === 'started') host.rest(fixture.agentId, launched.agent);
  await vi.waitUntil(() => ended.length > 0, { timeout: 60_000 });
  expect((await agentEvents(fixture)).at(-1)).toMatchObject({ data: { reason: 'idle' } });
});

it('passes an interrupt on, and ignores one for an agent that does not run', async () => {
  const fixture = await openFixture();
  const { host, driver } = hostAgents(fixture);
  await host.interrupt(fixture.agentId);
  await host.start(fixture.session, await readAgent(fixture));
  await host.interrupt(fixture.agentId);
  expect(driver.started[0]?.interrupts).toBe(1);
  await host.stopAll('shutdown');
});
