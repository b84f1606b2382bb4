import { createDelivery } from '@attache/database/contract';
import { expect, it } from 'vitest';
import { claimTask, openFixture, prepareTask } from '../__fixtures__/open-fixture.ts';
import { closeAgent, closeSession } from './close-session.ts';
import { recordMove } from './record-delivery.ts';

const lanes = { close: async () => undefined };

it('cancels what was not written, leaves what was, and cleans up after the agents', async () => {
  const fixture = await openFixture();
  const { deps, session, agentId, host } = fixture;
  const written = await claimTask(fixture);
  await recordMove(deps, written, 'written');
  const { deliveryId: queued } = await createDelivery(deps.db, fixture);
  const prepared = await prepareTask(fixture);
  await closeSession(deps, lanes, session);
  expect(await fixture.readRow(written.row.id)).toMatchObject({ status: 'written' });
  for (const id of [queued, prepared.row.id]) expect(await fixture.readRow(id)).toMatchObject({ status: 'cancelled' });
  expect(host).toEqual({ stopped: [agentId, agentId], cleaned: [agentId] });
});

it('says of an agent that was removed and did not run that it has stopped', async () => {
  const fixture = await openFixture();
  await closeAgent(fixture.deps, lanes, fixture.session, fixture.agentId);
  expect(await fixture.readEvents()).toMatchObject([{ kind: 'agent.stopped', data: { reason: 'removed' } }]);
});
