// hosted: every – an interrupt goes over the bus to the process that owns the agent
import type { Agent, Delivery } from '@attache/contracts';
import type { Answer } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStack, type Stack } from '../stack/stack.ts';
import { type Place, takeTurn } from '../steps/turns.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await openStack({ tenants: ['stranger'] });
});
afterAll(() => stack.stop());

type Refused = { code: string; requestId: string };

const interrupt = (sessionId: string, agentId: string, credential?: string) =>
  stack.api.call<Refused>('POST', `/sessions/${sessionId}/interrupt`, {
    body: { agentId },
    ...(credential === undefined ? {} : { credential }),
  });

async function send({ session, agent }: Place, text: string): Promise<Delivery> {
  return (await stack.api.send(session.id, { to: [agent.id], text })).deliveries[0];
}

/** A turn that does not end by itself. */
async function occupy(place: Place): Promise<Delivery> {
  const delivery = await send(place, 'example: hang');
  await stack.api.reached(delivery.id, 'written');
  return delivery;
}

function comparable({ status, body }: Answer<Refused>) {
  const { requestId: _own, ...problem } = body;
  return { status, problem };
}

describe('an agent is interrupted', () => {
  it('its turn ends as its runtime says, and what waits behind it continues [DL-61]', async () => {
    const place = await stack.api.createSession();
    const hanging = await occupy(place);
    const next = await send(place, 'the next one');
    expect((await interrupt(place.session.id, place.agent.id)).status).toBe(202);
    const ended = await stack.api.settled(hanging.id);
    expect(ended).toMatchObject({ status: 'responded', receipt: { proof: expect.stringContaining('cancelled') } });
    expect((await stack.api.settled(next.id)).status).toBe('responded');
  });

  it('and no other one of its session [A1]', async () => {
    const { session, agent } = await stack.api.createSession({ agents: 2 });
    const other = session.agents[1] as Agent;
    const [first, second] = [await occupy({ session, agent }), await occupy({ session, agent: other })];
    await interrupt(session.id, agent.id);
    await stack.api.settled(first.id);
    expect((await stack.api.delivery(second.id)).status).toBe('written');
    await interrupt(session.id, other.id);
    expect((await stack.api.settled(second.id)).status).toBe('responded');
  });

  it('as often as one likes, and also where nothing runs: what comes later is not touched', async () => {
    const place = await stack.api.createSession();
    const ask = () => interrupt(place.session.id, place.agent.id);
    expect((await ask()).status).toBe(202);
    expect((await takeTurn(stack.api, place, 'hello')).delivery.status).toBe('responded');
    expect([(await ask()).status, (await ask()).status]).toEqual([202, 202]);
    const { delivery } = await takeTurn(stack.api, place, 'hello again');
    expect(delivery).toMatchObject({
      status: 'responded',
      receipt: { proof: expect.not.stringContaining('cancelled') },
    });
  });

  it('by whoever has the right to send to it, and by no one else [AT-15]', async () => {
    const place = await stack.api.createSession();
    const { session, agent } = place;
    const hanging = await occupy(place);
    const createToken = async (externalUserId: string, rights: string[]) => {
      const body = { externalUserId, rights, ttlSeconds: 600 };
      return String((await stack.api.call('POST', `/sessions/${session.id}/tokens`, { body })).body.token);
    };
    const reader = await createToken('reader', ['events:read']);
    expect(await interrupt(session.id, agent.id, reader)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    expect((await stack.api.delivery(hanging.id)).status).toBe('written');
    const sender = await createToken('sender', ['messages:send']);
    expect((await interrupt(session.id, agent.id, sender)).status).toBe(202);
    expect((await stack.api.settled(hanging.id)).status).toBe('responded');
  });

  it('only in its own session: foreign, removed and unknown ones are the same 404 [A1 A2 A5 S1]', async () => {
    const { session } = await stack.api.createSession({ agents: 2 });
    const elsewhere = await stack.api.createSession();
    const hanging = await occupy(elsewhere);
    const removed = session.agents[1] as Agent;
    await stack.api.call('DELETE', `/sessions/${session.id}/agents/${removed.id}`);
    const unknown = await interrupt(session.id, 'agt_AAAAAAAAAAAAAAAAAAAAAA');
    expect(unknown).toMatchObject({ status: 404, body: { code: 'AGENT_NOT_FOUND' } });
    for (const agentId of [elsewhere.agent.id, removed.id])
      expect(comparable(await interrupt(session.id, agentId))).toEqual(comparable(unknown));
    const stranger = stack.apiOf('stranger');
    const theirs = await stranger.createSession();
    for (const sessionId of [theirs.session.id, elsewhere.session.id]) {
      const body = { agentId: elsewhere.agent.id };
      expect((await stranger.call('POST', `/sessions/${sessionId}/interrupt`, { body })).status).toBe(404);
    }
    expect((await stack.api.delivery(hanging.id)).status).toBe('written');
    await interrupt(elsewhere.session.id, elsewhere.agent.id);
    expect((await stack.api.settled(hanging.id)).status).toBe('responded');
  });
});
