import { createDelivery } from '@attache/database/contract';
import { expect, it } from 'vitest';
import { bringTo, openFixture, readRow } from '../__fixtures__/open-fixture.ts';
import { interruptAgent } from './interrupt-agent.ts';

it('ends the turn that an agent is in, and leaves what waits for it', async () => {
  const fixture = await openFixture();
  const { deps, caller, sessionId, agentId, takePublished } = fixture;
  const running = await createDelivery(deps.db, fixture);
  await bringTo(fixture, running.deliveryId, 'written');
  const waiting = await createDelivery(deps.db, fixture);
  takePublished();
  await interruptAgent(deps, caller, sessionId, agentId);
  expect(takePublished()).toEqual(['delivery.interrupted']);
  expect(await readRow(fixture, waiting.deliveryId)).toMatchObject({ status: 'queued' });
});

it('cancels what was taken for the turn and not written', async () => {
  const fixture = await openFixture();
  const { deps, caller, sessionId, agentId, readEvents } = fixture;
  const { deliveryId } = await createDelivery(deps.db, fixture);
  await bringTo(fixture, deliveryId, 'claimed');
  await interruptAgent(deps, caller, sessionId, agentId);
  expect(await readRow(fixture, deliveryId)).toMatchObject({ status: 'cancelled' });
  expect((await readEvents()).at(-1)).toMatchObject({ kind: 'delivery.cancelled' });
});

it('does nothing where there is no turn, and knows no agent of another session', async () => {
  const { deps, caller, sessionId, agentId, readEvents, takePublished } = await openFixture();
  await interruptAgent(deps, caller, sessionId, agentId);
  expect([await readEvents(), takePublished()]).toEqual([[], []]);
  const other = await openFixture();
  const asked = interruptAgent(deps, caller, sessionId, other.agentId);
  await expect(asked).rejects.toMatchObject({ code: 'AGENT_NOT_FOUND' });
});
