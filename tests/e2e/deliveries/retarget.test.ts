// hosted: every – a new target must reach the process that owns the agent
import { makePng } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStack, type Stack } from '../stack/stack.ts';
import { type Place, takeTurn } from '../steps/turns.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await openStack({ tenants: ['stranger'] });
});
afterAll(() => stack.stop());

const retarget = ({ session, agent }: Place, target: object) =>
  stack.api.call('PATCH', `/sessions/${session.id}/agents/${agent.id}`, { body: { target } });
const kindsOf = async (place: Place) => (await stack.api.events(place.session.id)).map(({ kind }) => kind);

async function openWithPicture(): Promise<Place & { picture: string }> {
  const place = await stack.api.createSession();
  const { attachment } = await stack.api.upload(place.session.id, makePng(35, 24));
  await stack.api.inspected(attachment.id);
  return { ...place, picture: attachment.id };
}

async function waitWritten(deliveryId: string): Promise<void> {
  await stack.api.reached(deliveryId, 'written');
}

describe('another target for an agent', () => {
  it('holds from the next message on, in a process of its own; the plan is made again [DL-51 BX-06]', async () => {
    const place = await openWithPicture();
    await takeTurn(stack.api, place, 'look', [place.picture]);
    const answer = await retarget(place, { profile: 'example', model: 'example-text' });
    expect(answer).toMatchObject({
      status: 200,
      body: { agent: { id: place.agent.id, target: { model: 'example-text' } }, plans: [] },
    });
    const draft = { to: [place.agent.id], text: 'look', attachmentIds: [place.picture] };
    const blocked = await stack.api.call('POST', `/sessions/${place.session.id}/messages`, { body: draft });
    expect(blocked).toMatchObject({
      status: 422,
      body: { failures: [{ code: 'attachment_model_vision_unsupported', model: 'example-text' }] },
    });
    await takeTurn(stack.api, place, 'words only');
    const events = await stack.api.events(place.session.id);
    expect(events.filter(({ kind }) => kind === 'agent.started')).toHaveLength(2);
    expect(events.find(({ kind }) => kind === 'agent.stopped')?.data).toMatchObject({ reason: 'target-changed' });
    expect(events.find(({ kind }) => kind === 'agent.target_changed')?.data).toMatchObject({
      from: { model: 'example-vision' },
      to: { model: 'example-text' },
    });
    await retarget(place, { profile: 'example', model: 'example-vision' });
    expect((await takeTurn(stack.api, place, 'look', [place.picture])).delivery.status).toBe('responded');
  });

  it('is planned for by what waits: it continues in its new form, or fails with its reason; what is written ends as it was [DL-51 DL-63 BX-06]', async () => {
    const place = await openWithPicture();
    const { session, agent, picture } = place;
    const [first] = (await stack.api.send(session.id, { to: [agent.id], text: 'example: hang' })).deliveries;
    await waitWritten(first.id);
    const [words] = (await stack.api.send(session.id, { to: [agent.id], text: 'words' })).deliveries;
    const [shown] = (await stack.api.send(session.id, { to: [agent.id], text: 'look', attachmentIds: [picture] }))
      .deliveries;
    await stack.api.reached(shown.id, 'prepared');
    const answer = await retarget(place, { profile: 'example', model: 'example-text' });
    expect((answer.body.plans as { decision: string }[]).map(({ decision }) => decision)).toEqual([
      'deliver',
      'blocked',
    ]);
    expect(await stack.api.settled(shown.id)).toMatchObject({
      status: 'failed',
      failure: { code: 'attachment_model_vision_unsupported', model: 'example-text', retryable: false },
    });
    await stack.api.call('POST', `/sessions/${session.id}/interrupt`, { body: { agentId: agent.id } });
    await stack.api.call('POST', `/deliveries/${first.id}/cancel`);
    const ended = await stack.api.settled(words.id);
    expect(ended).toMatchObject({ status: 'responded', attempts: 2 });
    expect(await kindsOf(place)).toContain('agent.target_changed');
  });

  it('is refused where it is unknown, malformed or not this caller’s to give [DL-51 DL-12 S1]', async () => {
    const place = await openWithPicture();
    expect(await retarget(place, { profile: 'nobody' })).toMatchObject({
      status: 422,
      body: { code: 'TARGET_UNKNOWN' },
    });
    expect(await retarget(place, { profile: 'example', model: ' ' })).toMatchObject({ status: 422 });
    expect(await retarget(place, {})).toMatchObject({ status: 400 });
    const path = `/sessions/${place.session.id}/agents/agt_AAAAAAAAAAAAAAAAAAAAAA`;
    const target = { profile: 'example' };
    expect(await stack.api.call('PATCH', path, { body: { target } })).toMatchObject({
      status: 404,
      body: { code: 'AGENT_NOT_FOUND' },
    });
    await stack.api.call('POST', `/sessions/${place.session.id}/end`);
    expect(await retarget(place, target)).toMatchObject({ status: 409, body: { code: 'SESSION_ENDED' } });
  });
});
