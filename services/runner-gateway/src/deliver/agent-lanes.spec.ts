import { idFromUuid } from '@attache/contracts';
import { endSession, removeAgent } from '@attache/database';
import { createAttachment } from '@attache/database/contract';
import { expect, it, vi } from 'vitest';
import { answered, hostAgents, takeAndAnswer } from '../__fixtures__/inner-agents.ts';
import { type Fixture, openFixture, prepareTask } from '../__fixtures__/open-fixture.ts';
import { openLanes } from '../__fixtures__/open-lanes.ts';
import { createAgentLanes } from './agent-lanes.ts';

it('brings what waits for an agent one after the other, in order, and is gone when nothing is left', async () => {
  const fixture = await openFixture();
  const ids = [await prepareTask(fixture), await prepareTask(fixture)].map(({ row }) => row.id);
  let running = 0;
  const { rest, quiet } = openLanes(fixture, {
    async takeTurn(request) {
      running += 1;
      expect(running).toBe(1);
      const outcome = await takeAndAnswer(request);
      running -= 1;
      return outcome;
    },
  });
  await rest();
  for (const id of ids) expect(await fixture.readRow(id)).toMatchObject({ status: 'responded' });
  const taken = (await fixture.readEvents()).filter(({ kind }) => kind === 'delivery.claimed');
  expect(taken.map(({ data }) => (data as { deliveryId: string }).deliveryId)).toHaveLength(2);
  expect(quiet.at(-1)).toBe(fixture.sessionId);
});

it('does not let one that failed hold up the next', async () => {
  const fixture = await openFixture();
  const ids = [await prepareTask(fixture), await prepareTask(fixture)].map(({ row }) => row.id);
  let turns = 0;
  const { rest } = openLanes(fixture, {
    takeTurn(request) {
      turns += 1;
      return turns === 1 ? Promise.reject(new Error('broken')) : takeAndAnswer(request);
    },
  });
  await rest();
  const statuses = await Promise.all(ids.map(async (id) => (await fixture.readRow(id)).status));
  expect(statuses).toEqual(['failed', 'responded']);
});

it('waits where its agent may have no process yet, and continues when it is woken [DL-52]', async () => {
  const fixture = await openFixture();
  const { row } = await prepareTask(fixture);
  const { deps, host, driver } = hostAgents(fixture);
  let wake: (() => void) | undefined;
  const told: string[] = [];
  const placement: typeof deps.placement = {
    async admit(_session, _agent, onFree) {
      const isFree = wake !== undefined;
      wake = onFree;
      return isFree;
    },
    begin: (_session, agentId) => void told.push(`begin ${agentId === fixture.agentId}`),
    end: (agentId) => void told.push(`end ${agentId === fixture.agentId}`),
    forget: (agentId) => void told.push(`forget ${agentId === fixture.agentId}`),
  };
  const quiet: string[] = [];
  const lanes = createAgentLanes({ ...deps, placement }, ({ sessionId }) => void quiet.push(sessionId));
  lanes.wake(fixture.session, fixture.agentId);
  await vi.waitUntil(() => wake !== undefined, { timeout: 60_000 });
  // Its session stays owned meanwhile, and nothing of the delivery has begun.
  expect([lanes.isBusy(fixture.sessionId), quiet, told, driver.started.length]).toEqual([true, [], [], 0]);
  expect((await fixture.readRow(row.id)).status).toBe('prepared');
  wake?.();
  await vi.waitUntil(() => !lanes.isBusy(fixture.sessionId), { timeout: 60_000 });
  expect((await fixture.readRow(row.id)).status).toBe('responded');
  expect(told).toEqual(['begin true', 'end true', 'forget true']);
  await host.stopAll('shutdown');
});

it('is remembered as busy while its session is held, until nothing is under way in it [BX-27]', async () => {
  const fixture = await openFixture();
  await prepareTask(fixture);
  const { lanes, rest } = openLanes(fixture);
  expect(lanes.filterBusy([fixture.session])).toEqual([]);
  await rest();
  expect(lanes.filterBusy([fixture.session])).toEqual([fixture.session]);
  expect(lanes.filterBusy([])).toEqual([]);
  expect(lanes.filterBusy([fixture.session])).toEqual([]);
  await prepareTask(fixture);
  await rest();
  lanes.noteQuiet(fixture.sessionId);
  expect(lanes.filterBusy([fixture.session])).toEqual([]);
});

it('waits no more once it is closed', async () => {
  const fixture = await openFixture();
  const { row } = await prepareTask(fixture);
  const { deps } = hostAgents(fixture);
  const told: string[] = [];
  const placement = { ...deps.placement, admit: async () => false, forget: () => void told.push('forget') };
  const lanes = createAgentLanes({ ...deps, placement }, () => undefined);
  lanes.wake(fixture.session, fixture.agentId);
  await vi.waitUntil(() => lanes.isBusy(fixture.sessionId), { timeout: 60_000 });
  await lanes.closeSession(fixture.sessionId);
  expect(told).toEqual(['forget']);
  expect((await fixture.readRow(row.id)).status).toBe('prepared');
});

it('cancels what waits in a session that has ended, and starts no agent for it', async () => {
  const fixture = await openFixture();
  const { row } = await prepareTask(fixture);
  await fixture.deps.db.asTenant(fixture.tenantId, (tx) => endSession(tx, fixture.sessionId));
  const { rest, driver } = openLanes(fixture);
  await rest();
  expect(await fixture.readRow(row.id)).toMatchObject({ status: 'cancelled' });
  expect(driver.started).toEqual([]);
});

it('fails what waits for an agent that was removed', async () => {
  const fixture = await openFixture();
  const { row } = await prepareTask(fixture);
  await fixture.deps.db.asTenant(fixture.tenantId, (tx) => removeAgent(tx, fixture.sessionId, fixture.agentId));
  const { rest, driver } = openLanes(fixture);
  await rest();
  expect(await fixture.readRow(row.id)).toMatchObject({
    status: 'failed',
    failure: { code: 'delivery_agent_missing' },
  });
  expect(driver.started).toEqual([]);
});

it('fails what brings a file to which the right has ended [SR-28]', async () => {
  const fixture = await openFixture();
  const { db } = fixture.deps;
  const { attachmentId } = await createAttachment(db, fixture);
  const { row } = await prepareTask(fixture, [attachmentId]);
  await db.asTenant(fixture.tenantId, (tx) => tx.execute('update access_grant set revoked_at = now()'));
  const { rest, driver } = openLanes(fixture);
  await rest();
  const failure = { attachmentId: idFromUuid('attachment', attachmentId), retryable: false };
  expect(await fixture.readRow(row.id)).toMatchObject({ status: 'failed', failure });
  expect(driver.started).toEqual([]);
});

it('knows which delivery is under way, and waits for it when it is closed', async () => {
  const fixture = await openFixture();
  const { row } = await prepareTask(fixture);
  const { promise: isLetGo, resolve: letGo } = Promise.withResolvers<void>();
  const { promise: isTaken, resolve: tellTaken } = Promise.withResolvers<void>();
  const { lanes, host } = openLanes(fixture, {
    async takeTurn(request) {
      tellTaken();
      await isLetGo;
      return takeAndAnswer(request);
    },
  });
  lanes.wake(fixture.session, fixture.agentId);
  await isTaken;
  expect([lanes.isUnderWay(row.id), lanes.isBusy(fixture.sessionId)]).toEqual([true, true]);
  const closed = lanes.close(fixture.agentId);
  letGo();
  await closed;
  expect([lanes.isUnderWay(row.id), (await fixture.readRow(row.id)).status]).toEqual([false, 'responded']);
  await host.stopAll('shutdown');
});

it('takes nothing once it was stopped', async () => {
  const fixture = await openFixture();
  const { row } = await prepareTask(fixture);
  const { lanes } = openLanes(fixture);
  await lanes.stop();
  lanes.wake(fixture.session, fixture.agentId);
  expect(lanes.isBusy(fixture.sessionId)).toBe(false);
  expect(await fixture.readRow(row.id)).toMatchObject({ status: 'prepared' });
});

/** Does something between the commit of the first answer and what the lane does after it. */
function afterFirstAnswer(fixture: Fixture, act: () => Promise<void>) {
  const { write } = fixture.deps.ownership;
  let answers = 0;
  fixture.deps.ownership.write = async (session, agentId, one) => {
    const written = await write(session, agentId, one);
    if ('decision' in one && one.decision.move.to === 'responded' && ++answers === 1) await act();
    return written;
  };
}

it('takes what the record of an answer found next, without a look of its own', async () => {
  const fixture = await openFixture();
  for (let n = 0; n < 3; n += 1) await prepareTask(fixture);
  const calls: number[] = [];
  const { lanes, host } = openLanes(fixture, {
    takeTurn(request) {
      calls.push(fixture.takeRoundTrips());
      return takeAndAnswer(request);
    },
  });
  lanes.wake(fixture.session, fixture.agentId);
  await vi.waitUntil(() => !lanes.isBusy(fixture.sessionId), { timeout: 60_000 });
  calls.push(fixture.takeRoundTrips());
  await host.stopAll('shutdown');
  // From one prompt to the next, and from the last one to the lane's end: its mark, written and responded. The first one starts the agent.
  expect(calls.slice(1)).toEqual([3, 3, 3]);
});

it('brings what was prepared during a turn, though nobody said so', async () => {
  const fixture = await openFixture();
  const ids = [(await prepareTask(fixture)).row.id];
  const { rest } = openLanes(fixture, {
    async takeTurn(request) {
      if (ids.length === 1) ids.push((await prepareTask(fixture)).row.id);
      return takeAndAnswer(request);
    },
  });
  await rest();
  for (const id of ids) expect(await fixture.readRow(id)).toMatchObject({ status: 'responded' });
});

it('looks again where somebody rang after the answer was recorded', async () => {
  const fixture = await openFixture();
  await prepareTask(fixture);
  const late: string[] = [];
  const { rest, lanes } = openLanes(fixture);
  afterFirstAnswer(fixture, async () => {
    late.push((await prepareTask(fixture)).row.id);
    lanes.wake(fixture.session, fixture.agentId);
  });
  await rest();
  expect(await fixture.readRow(late[0] ?? '')).toMatchObject({ status: 'responded' });
});

it('reads an agent again that ended after its answer', async () => {
  const fixture = await openFixture();
  const ids = [await prepareTask(fixture), await prepareTask(fixture)].map(({ row }) => row.id);
  const { rest, driver, host } = openLanes(fixture);
  afterFirstAnswer(fixture, async () => {
    await host.stop(fixture.agentId, 'idle');
    await fixture.deps.db.asTenant(fixture.tenantId, (tx) => tx.execute("update agent set model = 'model-2'"));
  });
  await rest();
  for (const id of ids) expect(await fixture.readRow(id)).toMatchObject({ status: 'responded' });
  expect(driver.started.map(({ spec }) => spec.model).slice(1)).toEqual(['model-2']);
});

it('leaves nothing behind what failed in a turn that had another answer, too', async () => {
  const fixture = await openFixture();
  const ids: string[] = [];
  for (let n = 0; n < 3; n += 1) ids.push((await prepareTask(fixture)).row.id);
  const { promise: isAnswered, resolve: tellAnswered } = Promise.withResolvers<void>();
  let turns = 0;
  const { rest } = openLanes(fixture, {
    // The third one does not enter the turn of the others.
    get isSteerable() {
      return turns < 2;
    },
    async takeTurn(request) {
      turns += 1;
      if (turns === 1) {
        await request.onWriting();
        await request.onWritten();
        request.onSteerable?.();
        await vi.waitUntil(() => turns > 1, { timeout: 60_000 });
        return answered;
      }
      if (turns > 2) return takeAndAnswer(request);
      await request.onWriting();
      await request.onWritten();
      await isAnswered;
      throw new Error('broken');
    },
  });
  // The first answer comes to its end once the second delivery has failed.
  afterFirstAnswer(fixture, async () => {
    tellAnswered();
    await vi.waitUntil(async () => (await fixture.readRow(ids[1] ?? '')).status === 'failed', { timeout: 60_000 });
  });
  await rest();
  const statuses = await Promise.all(ids.map(async (id) => (await fixture.readRow(id)).status));
  expect(statuses).toEqual(['responded', 'failed', 'responded']);
});
