import { idFromUuid } from '@attache/contracts';
import { endSession, removeAgent } from '@attache/database';
import { createAttachment } from '@attache/database/contract';
import { expect, it, vi } from 'vitest';
import { answered, type Conduct, hostAgents, takeAndAnswer } from '../__fixtures__/inner-agents.ts';
import { openScene, prepareJourney, type Scene } from '../__fixtures__/open-scene.ts';
import { createAgentLanes } from './agent-lanes.ts';

function openLanes(scene: Scene, conduct: Conduct = {}) {
  const { deps, host, driver } = hostAgents(scene, conduct);
  const quiet: string[] = [];
  const lanes = createAgentLanes(deps, ({ sessionId }) => void quiet.push(sessionId));
  const rest = async () => {
    lanes.wake(scene.session, scene.agentId);
    await vi.waitUntil(() => !lanes.isBusy(scene.sessionId), { timeout: 30_000 });
    await host.stopAll('shutdown');
  };
  return { lanes, host, driver, quiet, rest };
}

it('brings what waits for an agent one after the other, in order, and is gone when nothing is left', async () => {
  const scene = await openScene();
  const ids = [await prepareJourney(scene), await prepareJourney(scene)].map(({ row }) => row.id);
  let running = 0;
  const { rest, quiet } = openLanes(scene, {
    async takeTurn(request) {
      running += 1;
      expect(running).toBe(1);
      const outcome = await takeAndAnswer(request);
      running -= 1;
      return outcome;
    },
  });
  await rest();
  for (const id of ids) expect(await scene.readRow(id)).toMatchObject({ status: 'responded' });
  const taken = (await scene.readEvents()).filter(({ kind }) => kind === 'delivery.claimed');
  expect(taken.map(({ data }) => (data as { deliveryId: string }).deliveryId)).toHaveLength(2);
  expect(quiet.at(-1)).toBe(scene.sessionId);
});

it('does not let one that failed hold up the next', async () => {
  const scene = await openScene();
  const ids = [await prepareJourney(scene), await prepareJourney(scene)].map(({ row }) => row.id);
  let turns = 0;
  const { rest } = openLanes(scene, {
    takeTurn(request) {
      turns += 1;
      return turns === 1 ? Promise.reject(new Error('broken')) : takeAndAnswer(request);
    },
  });
  await rest();
  const statuses = await Promise.all(ids.map(async (id) => (await scene.readRow(id)).status));
  expect(statuses).toEqual(['failed', 'responded']);
});

it('waits where its agent may have no process yet, and continues when it is woken [DL-52]', async () => {
  const scene = await openScene();
  const { row } = await prepareJourney(scene);
  const { deps, host, driver } = hostAgents(scene);
  let wake: (() => void) | undefined;
  const told: string[] = [];
  const placement: typeof deps.placement = {
    async admit(_session, _agent, onFree) {
      const isFree = wake !== undefined;
      wake = onFree;
      return isFree;
    },
    begin: (_session, agentId) => void told.push(`begin ${agentId === scene.agentId}`),
    end: (agentId) => void told.push(`end ${agentId === scene.agentId}`),
    forget: (agentId) => void told.push(`forget ${agentId === scene.agentId}`),
  };
  const quiet: string[] = [];
  const lanes = createAgentLanes({ ...deps, placement }, ({ sessionId }) => void quiet.push(sessionId));
  lanes.wake(scene.session, scene.agentId);
  await vi.waitUntil(() => wake !== undefined, { timeout: 30_000 });
  // Its session stays owned meanwhile, and nothing of the delivery has begun.
  expect([lanes.isBusy(scene.sessionId), quiet, told, driver.started.length]).toEqual([true, [], [], 0]);
  expect((await scene.readRow(row.id)).status).toBe('prepared');
  wake?.();
  await vi.waitUntil(() => !lanes.isBusy(scene.sessionId), { timeout: 30_000 });
  expect((await scene.readRow(row.id)).status).toBe('responded');
  expect(told).toEqual(['begin true', 'end true', 'forget true']);
  await host.stopAll('shutdown');
});

it('is remembered as busy while its session is held, until nothing is under way in it [BX-27]', async () => {
  const scene = await openScene();
  await prepareJourney(scene);
  const { lanes, rest } = openLanes(scene);
  expect(lanes.filterBusy([scene.session])).toEqual([]);
  await rest();
  expect(lanes.filterBusy([scene.session])).toEqual([scene.session]);
  expect(lanes.filterBusy([])).toEqual([]);
  expect(lanes.filterBusy([scene.session])).toEqual([]);
  await prepareJourney(scene);
  await rest();
  lanes.noteQuiet(scene.sessionId);
  expect(lanes.filterBusy([scene.session])).toEqual([]);
});

it('waits no more once it is closed', async () => {
  const scene = await openScene();
  const { row } = await prepareJourney(scene);
  const { deps } = hostAgents(scene);
  const told: string[] = [];
  const placement = { ...deps.placement, admit: async () => false, forget: () => void told.push('forget') };
  const lanes = createAgentLanes({ ...deps, placement }, () => undefined);
  lanes.wake(scene.session, scene.agentId);
  await vi.waitUntil(() => lanes.isBusy(scene.sessionId), { timeout: 30_000 });
  await lanes.closeSession(scene.sessionId);
  expect(told).toEqual(['forget']);
  expect((await scene.readRow(row.id)).status).toBe('prepared');
});

it('cancels what waits in a session that has ended, and starts no agent for it', async () => {
  const scene = await openScene();
  const { row } = await prepareJourney(scene);
  await scene.deps.db.asTenant(scene.tenantId, (tx) => endSession(tx, scene.sessionId));
  const { rest, driver } = openLanes(scene);
  await rest();
  expect(await scene.readRow(row.id)).toMatchObject({ status: 'cancelled' });
  expect(driver.started).toEqual([]);
});

it('fails what waits for an agent that was removed', async () => {
  const scene = await openScene();
  const { row } = await prepareJourney(scene);
  await scene.deps.db.asTenant(scene.tenantId, (tx) => removeAgent(tx, scene.sessionId, scene.agentId));
  const { rest, driver } = openLanes(scene);
  await rest();
  expect(await scene.readRow(row.id)).toMatchObject({ status: 'failed', failure: { code: 'delivery_agent_missing' } });
  expect(driver.started).toEqual([]);
});

it('fails what brings a file to which the right has ended [SR-28]', async () => {
  const scene = await openScene();
  const { db } = scene.deps;
  const { attachmentId } = await createAttachment(db, scene);
  const { row } = await prepareJourney(scene, [attachmentId]);
  await db.asTenant(scene.tenantId, (tx) => tx.execute('update access_grant set revoked_at = now()'));
  const { rest, driver } = openLanes(scene);
  await rest();
  const failure = { attachmentId: idFromUuid('attachment', attachmentId), retryable: false };
  expect(await scene.readRow(row.id)).toMatchObject({ status: 'failed', failure });
  expect(driver.started).toEqual([]);
});

it('knows which delivery is under way, and waits for it when it is closed', async () => {
  const scene = await openScene();
  const { row } = await prepareJourney(scene);
  const { promise: isLetGo, resolve: letGo } = Promise.withResolvers<void>();
  const { promise: isTaken, resolve: tellTaken } = Promise.withResolvers<void>();
  const { lanes, host } = openLanes(scene, {
    async takeTurn(request) {
      tellTaken();
      await isLetGo;
      return takeAndAnswer(request);
    },
  });
  lanes.wake(scene.session, scene.agentId);
  await isTaken;
  expect([lanes.isUnderWay(row.id), lanes.isBusy(scene.sessionId)]).toEqual([true, true]);
  const closed = lanes.close(scene.agentId);
  letGo();
  await closed;
  expect([lanes.isUnderWay(row.id), (await scene.readRow(row.id)).status]).toEqual([false, 'responded']);
  await host.stopAll('shutdown');
});

it('takes nothing once it was stopped', async () => {
  const scene = await openScene();
  const { row } = await prepareJourney(scene);
  const { lanes } = openLanes(scene);
  await lanes.stop();
  lanes.wake(scene.session, scene.agentId);
  expect(lanes.isBusy(scene.sessionId)).toBe(false);
  expect(await scene.readRow(row.id)).toMatchObject({ status: 'prepared' });
});

/** Does something between the commit of the first answer and what the lane does after it. */
function afterFirstAnswer(scene: Scene, act: () => Promise<void>) {
  const { write } = scene.deps.ownership;
  let answers = 0;
  scene.deps.ownership.write = async (session, agentId, one) => {
    const written = await write(session, agentId, one);
    if ('decision' in one && one.decision.move.to === 'responded' && ++answers === 1) await act();
    return written;
  };
}

it('takes what the record of an answer found next, without a look of its own', async () => {
  const scene = await openScene();
  for (let n = 0; n < 3; n += 1) await prepareJourney(scene);
  const calls: number[] = [];
  const { lanes, host } = openLanes(scene, {
    takeTurn(request) {
      calls.push(scene.takeRoundTrips());
      return takeAndAnswer(request);
    },
  });
  lanes.wake(scene.session, scene.agentId);
  await vi.waitUntil(() => !lanes.isBusy(scene.sessionId), { timeout: 30_000 });
  calls.push(scene.takeRoundTrips());
  await host.stopAll('shutdown');
  // From one prompt to the next, and from the last one to the lane's end: its mark, written and responded. The first one starts the agent.
  expect(calls.slice(1)).toEqual([3, 3, 3]);
});

it('brings what was prepared during a turn, though nobody said so', async () => {
  const scene = await openScene();
  const ids = [(await prepareJourney(scene)).row.id];
  const { rest } = openLanes(scene, {
    async takeTurn(request) {
      if (ids.length === 1) ids.push((await prepareJourney(scene)).row.id);
      return takeAndAnswer(request);
    },
  });
  await rest();
  for (const id of ids) expect(await scene.readRow(id)).toMatchObject({ status: 'responded' });
});

it('looks again where somebody rang after the answer was recorded', async () => {
  const scene = await openScene();
  await prepareJourney(scene);
  const late: string[] = [];
  const { rest, lanes } = openLanes(scene);
  afterFirstAnswer(scene, async () => {
    late.push((await prepareJourney(scene)).row.id);
    lanes.wake(scene.session, scene.agentId);
  });
  await rest();
  expect(await scene.readRow(late[0] ?? '')).toMatchObject({ status: 'responded' });
});

it('reads an agent again that ended after its answer', async () => {
  const scene = await openScene();
  const ids = [await prepareJourney(scene), await prepareJourney(scene)].map(({ row }) => row.id);
  const { rest, driver, host } = openLanes(scene);
  afterFirstAnswer(scene, async () => {
    await host.stop(scene.agentId, 'idle');
    await scene.deps.db.asTenant(scene.tenantId, (tx) => tx.execute("update agent set model = 'model-2'"));
  });
  await rest();
  for (const id of ids) expect(await scene.readRow(id)).toMatchObject({ status: 'responded' });
  expect(driver.started.map(({ spec }) => spec.model).slice(1)).toEqual(['model-2']);
});

it('leaves nothing behind what failed in a turn that had another answer, too', async () => {
  const scene = await openScene();
  const ids: string[] = [];
  for (let n = 0; n < 3; n += 1) ids.push((await prepareJourney(scene)).row.id);
  const { promise: isAnswered, resolve: tellAnswered } = Promise.withResolvers<void>();
  let turns = 0;
  const { rest } = openLanes(scene, {
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
        await vi.waitUntil(() => turns > 1, { timeout: 30_000 });
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
  afterFirstAnswer(scene, async () => {
    tellAnswered();
    await vi.waitUntil(async () => (await scene.readRow(ids[1] ?? '')).status === 'failed', { timeout: 30_000 });
  });
  await rest();
  const statuses = await Promise.all(ids.map(async (id) => (await scene.readRow(id)).status));
  expect(statuses).toEqual(['responded', 'failed', 'responded']);
});
