import { makePng, type StackUnderTest, startEmbedded } from '@attache/test-harness';
import { afterAll, beforeAll, expect, it } from 'vitest';

let stack: StackUnderTest;
beforeAll(async () => { stack = await startEmbedded(); });
afterAll(() => stack.stop());

it('delivers an uploaded picture natively and the agent gives one back', async () => {
  const { api } = stack;
  const { session, agent } = await api.createSession();
  const { attachment } = await api.upload(session.id, makePng(40, 30));
  const { deliveries } = await api.send(session.id, { to: [agent.id], text: 'look', attachmentIds: [attachment.id] });
  const delivery = await api.settled(deliveries[0].id);
  expect(delivery.status).toBe('responded');
  expect(delivery.receipt?.items[0]).toMatchObject({ sha256: attachment.sha256, form: 'native', verdict: 'delivered' });
});
