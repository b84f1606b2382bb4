// hosted: every – the end of a session goes over the bus to the process that owns its agents
import { access } from 'node:fs/promises';
import { findProcessesIn, makePng } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openStack, type Stack } from '../stack/stack.ts';
import { runScript, takeTurn } from '../steps/turns.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await openStack();
});
afterAll(() => stack.stop());

const openScripted = () => stack.api.createSession({ profile: 'scripted', model: 'script' });
const endSession = (sessionId: string) => stack.api.call('POST', `/sessions/${sessionId}/end`);

async function waitForStop(sessionId: string, reason: string): Promise<void> {
  const stopped = await stack.api.logged(
    sessionId,
    ({ kind, data }) => kind === 'agent.stopped' && data.reason === reason,
  );
  expect(stopped).toHaveLength(1);
}

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

describe('a session that ends', () => {
  it('stops its agents and removes what they kept [BX-20]', async () => {
    const place = await openScripted();
    await runScript(stack.api, place, ['process']);
    const processes = await findProcessesIn(stack.agentFolder(place.agent.id));
    expect(await processes.list()).not.toEqual([]);
    expect(await isThere(stack.agentFolder(place.agent.id))).toBe(true);
    expect((await endSession(place.session.id)).status).toBe(202);
    await waitForStop(place.session.id, 'session-ended');
    expect(await processes.list()).toEqual([]);
    await vi.waitFor(async () => expect(await isThere(stack.agentFolder(place.agent.id))).toBe(false), 60_000);
    const { body } = await stack.api.call('GET', `/sessions/${place.session.id}`);
    expect(body.session).toMatchObject({ status: 'ended', agents: [{ status: 'stopped' }] });
  });

  it('stops by force one that does not listen', async () => {
    const place = await stack.api.createSession();
    await takeTurn(stack.api, place, 'example: ignore-sigterm');
    await endSession(place.session.id);
    await waitForStop(place.session.id, 'session-ended');
    const [stopped] = (await stack.api.events(place.session.id)).filter(({ kind }) => kind === 'agent.stopped');
    expect(stopped?.data).toMatchObject({ agentId: place.agent.id, signal: 'SIGKILL' });
  });

  it('takes no new work, and can still be read', async () => {
    const { api } = stack;
    const { session, agent } = await api.createSession();
    const { attachment } = await api.upload(session.id, makePng(9, 9));
    await endSession(session.id);
    const target = { profile: 'example', model: 'example-vision' };
    const upload = { raw: makePng(8, 8), headers: { 'content-type': 'image/png' } };
    const token = { externalUserId: 'anna', rights: ['events:read'], ttlSeconds: 60 };
    const refused = [
      await api.call('POST', `/sessions/${session.id}/messages`, { body: { to: [agent.id], text: 'hello' } }),
      await api.call('PUT', `/sessions/${session.id}/attachments?name=a.png`, upload),
      await api.call('POST', `/sessions/${session.id}/agents`, { body: { name: 'late', role: 'member', target } }),
      await api.call('POST', `/sessions/${session.id}/tokens`, { body: token }),
    ];
    for (const answer of refused) expect(answer).toMatchObject({ status: 409, body: { code: 'SESSION_ENDED' } });
    expect((await api.call('GET', `/attachments/${attachment.id}`)).status).toBe(200);
    expect((await api.events(session.id)).map(({ kind }) => kind)).toContain('session.ended');
    expect((await endSession(session.id)).status).toBe(202);
    expect((await api.events(session.id)).filter(({ kind }) => kind === 'session.ended')).toHaveLength(1);
  });

  it('cancels what was not written; what was has its outcome', async () => {
    const { api } = stack;
    const { session, agent } = await api.createSession();
    const running = await api.send(session.id, { to: [agent.id], text: 'example: hang' });
    await api.reached(running.deliveries[0].id, 'written');
    const waiting = await api.send(session.id, { to: [agent.id], text: 'too late' });
    await endSession(session.id);
    expect((await api.settled(waiting.deliveries[0].id)).status).toBe('cancelled');
    const ended = await api.settled(running.deliveries[0].id);
    expect(ended).toMatchObject({ status: 'failed', failure: { code: 'delivery_cancelled' } });
    expect(await api.call('POST', `/deliveries/${ended.id}/retry`)).toMatchObject({
      status: 409,
      body: { code: 'SESSION_ENDED' },
    });
  });
});

describe('a session that ends at once', () => {
  // A delivery that is being prepared at that moment is moved on by another service.
  it.each([1, 2, 3, 4, 5])('lets nothing be delivered afterwards, and keeps no agent (%i)', async () => {
    const { api } = stack;
    const { session, agent } = await api.createSession();
    const sent = await api.send(session.id, { to: [agent.id], text: 'example: hang' });
    const [first, ...others] = [
      sent,
      ...(await Promise.all([1, 2].map(() => api.send(session.id, { to: [agent.id], text: 'x' })))),
    ];
    await endSession(session.id);
    for (const { deliveries } of others) expect((await api.settled(deliveries[0].id)).status).toBe('cancelled');
    expect(['cancelled', 'failed']).toContain((await api.settled(first.deliveries[0].id)).status);
    await vi.waitFor(async () => expect(await isThere(stack.agentFolder(agent.id))).toBe(false), 60_000);
  });
});

describe('an agent that is taken out of its session', () => {
  it('is stopped, and unknown from then on', async () => {
    const { api } = stack;
    const place = await openScripted();
    const { session, agent } = place;
    await runScript(api, place, ['process']);
    const processes = await findProcessesIn(stack.agentFolder(agent.id));
    expect(await processes.list()).not.toEqual([]);
    expect((await api.call('DELETE', `/sessions/${session.id}/agents/${agent.id}`)).status).toBe(204);
    await waitForStop(session.id, 'removed');
    expect(await processes.list()).toEqual([]);
    const { body } = await api.call('GET', `/sessions/${session.id}`);
    expect((body.session as { agents: unknown[] }).agents).toEqual([]);
    const send = await api.call('POST', `/sessions/${session.id}/messages`, { body: { to: [agent.id], text: 'x' } });
    expect(send).toMatchObject({ status: 404, body: { code: 'AGENT_NOT_FOUND' } });
    const again = await api.call('DELETE', `/sessions/${session.id}/agents/${agent.id}`);
    expect(again).toMatchObject({ status: 404, body: { code: 'AGENT_NOT_FOUND' } });
  });

  it('leaves the others of its session at work', async () => {
    const { api } = stack;
    const { session, agent } = await api.createSession({ agents: 2 });
    const other = session.agents[1];
    if (!other) throw new Error('the session has one agent');
    await api.call('DELETE', `/sessions/${session.id}/agents/${agent.id}`);
    await waitForStop(session.id, 'removed');
    expect((await takeTurn(api, { session, agent: other }, 'hello')).delivery.status).toBe('responded');
  });
});
