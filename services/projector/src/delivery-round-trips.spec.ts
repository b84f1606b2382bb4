import { countRoundTrips, createDelivery } from '@attache/database/contract';
import { expect, it } from 'vitest';
import { messageOf, openFixture } from './__fixtures__/open-fixture.ts';
import { executePlan } from './execute-plan.ts';

// The read of the plan, and the step. Before a delivery was decided a failure took seven.
it.each([
  { step: 'prepares', isErased: false, roundTrips: 2 },
  { step: 'fails', isErased: true, roundTrips: 2 },
])('$step a delivery in $roundTrips round trips', async ({ isErased, roundTrips }) => {
  const fixture = await openFixture();
  const { tenantId, sessionId, deps } = fixture;
  const { deliveryId } = await createDelivery(deps.db, fixture);
  if (isErased) await deps.db.asTenant(tenantId, (tx) => tx.execute('delete from message_text'));
  const { db, take } = countRoundTrips(deps.db);
  await executePlan({ ...deps, db }, messageOf('delivery.queued', { tenantId, sessionId, deliveryId }));
  expect(take()).toBe(roundTrips);
});
