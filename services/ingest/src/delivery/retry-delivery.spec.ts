import type { Failure } from '@attache/contracts';
import { createDelivery, takeFact } from '@attache/database/contract';
import { expect, it } from 'vitest';
import { type Fixture, openFixture, readRow } from '../__fixtures__/open-fixture.ts';
import { retargetAgent } from '../session/retarget-agent.ts';
import { retryDelivery } from './retry-delivery.ts';

async function failWith(fixture: Fixture, retryable: boolean): Promise<string> {
  const { deps, takePublished } = fixture;
  const { deliveryId } = await createDelivery(deps.db, fixture);
  const failure: Failure = {
    ...{ code: 'delivery_runtime_transport_failed', severity: 'error' },
    ...{ userMessage: 'It failed.', diagnostic: 'planted', retryable },
  };
  const row = await readRow(fixture, deliveryId);
  await takeFact(deps.db, row, { kind: 'plan-failed', failure });
  takePublished();
  return deliveryId;
}

it('tries a failed delivery again with its plan, and says so in the log [DL-42]', async () => {
  const fixture = await openFixture();
  const { deps, caller, keep, kept, readEvents, takePublished } = fixture;
  const deliveryId = await failWith(fixture, true);
  const delivery = await retryDelivery(deps, caller, deliveryId, keep);
  expect(delivery).toMatchObject({ status: 'prepared', attempts: 2 });
  expect(delivery.failure).toBeUndefined();
  expect(delivery.timeline.slice(-2)).toMatchObject([
    { status: 'queued', attempt: 2, actor: caller.actor },
    { status: 'prepared', attempt: 2, actor: { type: 'service', id: 'ingest' } },
  ]);
  expect(kept).toEqual([{ delivery }]);
  expect(takePublished()).toEqual(['delivery.prepared']);
  const data = { deliveryId: delivery.id, attempt: 2 };
  expect((await readEvents()).slice(-2)).toMatchObject([
    { kind: 'delivery.queued', actor: caller.actor, data },
    { kind: 'delivery.prepared', actor: { type: 'service', id: 'ingest' }, data },
  ]);
  expect((await readRow(fixture, deliveryId)).parts).toEqual([{ type: 'text', text: 'hello' }]);
});

it('refuses what trying again does not mend, what has not failed, and what was planned for another target', async () => {
  const fixture = await openFixture();
  const { deps, caller, sessionId, agentId, keep, kept } = fixture;
  const lost = await failWith(fixture, false);
  const { deliveryId: queued } = await createDelivery(deps.db, fixture);
  const planned = await failWith(fixture, true);
  await retargetAgent(deps, caller, { sessionId, agentId, target: { profile: 'words' } });
  for (const id of [lost, queued, planned])
    await expect(retryDelivery(deps, caller, id, keep)).rejects.toMatchObject({ code: 'NOT_RETRYABLE' });
  expect(kept).toEqual([]);
  expect(await readRow(fixture, planned)).toMatchObject({ status: 'failed', attempts: 1 });
});
