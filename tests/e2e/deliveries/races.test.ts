// hosted: long – real connections race in idempotency.test.ts, too
import { randomUUID } from 'node:crypto';
import type { SessionEvent } from '@attache/contracts';
import { makePng } from '@attache/test-harness';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStack, type Stack } from '../stack/stack.ts';
import type { Place } from '../steps/turns.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await openStack();
});
afterAll(() => stack.stop());

const ROUNDS = 5;
const askedFor = new Set(['message.accepted', 'attachment.added', 'agent.added', 'grant.created', 'delivery.queued']);

const addAgent = ({ session }: Place) => {
  const agent = {
    name: `late-${randomUUID()}`,
    role: 'member',
    target: { profile: 'example', model: 'example-vision' },
  };
  return stack.api.call('POST', `/sessions/${session.id}/agents`, { body: agent });
};
const send = ({ session, agent }: Place, text = 'hello') =>
  stack.api.call('POST', `/sessions/${session.id}/messages`, { body: { to: [agent.id], text } });
const put = ({ session }: Place, bytes: Uint8Array<ArrayBuffer>) =>
  stack.api.call('PUT', `/sessions/${session.id}/attachments?name=a.png`, {
    raw: bytes,
    headers: { 'content-type': 'image/png' },
  });

it('nothing that a caller asked for comes after the end of its session; it is refused then', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const place = await stack.api.createSession();
    const { id } = place.session;
    const { attachment } = await stack.api.upload(id, makePng(4, 4));
    const grant = { agentId: place.agent.id, attachmentId: attachment.id, rights: ['read'] };
    const asked = Array.from({ length: 3 }, () => [
      send(place),
      put(place, makePng(6, 6 + round)),
      addAgent(place),
      stack.api.call('POST', `/sessions/${id}/grants`, { body: grant }),
    ]).flat();
    const end = stack.api.call('POST', `/sessions/${id}/end`);
    const answers = await Promise.all(asked);
    expect((await end).status).toBeLessThan(300);
    for (const { status, body } of answers)
      if (status >= 300) expect({ status, code: body.code }).toEqual({ status: 409, code: 'SESSION_ENDED' });
    const events: SessionEvent[] = await stack.api.events(id);
    const endedAt = events.findIndex(({ kind }) => kind === 'session.ended');
    expect(endedAt).toBeGreaterThan(0);
    expect(events.slice(endedAt).filter(({ kind }) => askedFor.has(kind))).toEqual([]);
  }
});

it('an agent that is given another target amid messages gets each of them once, planned for what it is [DL-51 BX-06]', async () => {
  const place = await stack.api.createSession({ agents: 1 });
  const { session, agent } = place;
  const models = ['example-text', 'example-omni', 'example-vision'];
  const sent = await Promise.all(
    Array.from({ length: 12 }, async (_, turn) => {
      const answer = await send(place, `message ${turn}`);
      const model = models[turn % models.length];
      if (turn % 2 === 0)
        await stack.api.call('PATCH', `/sessions/${session.id}/agents/${agent.id}`, {
          body: { target: { profile: 'example', model } },
        });
      return answer;
    }),
  );
  for (const { status, body } of sent) {
    expect({ status, code: body.code }).toEqual({ status: 202, code: undefined });
    const [delivery] = body.deliveries as { id: string }[];
    expect(await stack.api.settled(String(delivery?.id))).toMatchObject({ status: 'responded' });
  }
});

it('interrupts amid deliveries that start and end are all taken, and no lock stops any [DL-61]', async () => {
  const place = await stack.api.createSession({ agents: 1 });
  const { session, agent } = place;
  const interrupt = () => stack.api.call('POST', `/sessions/${session.id}/interrupt`, { body: { agentId: agent.id } });
  const answers = await Promise.all(
    Array.from({ length: 12 }, async (_, turn) => ({
      sent: await send(place, `message ${turn}`),
      interrupted: await interrupt(),
    })),
  );
  for (const { sent, interrupted } of answers) {
    expect([sent.status, interrupted.status]).toEqual([202, 202]);
    const [delivery] = sent.body.deliveries as { id: string }[];
    expect((await stack.api.settled(String(delivery?.id))).status).toMatch(/^(responded|cancelled)$/);
  }
});
