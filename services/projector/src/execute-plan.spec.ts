import { findDelivery } from '@attache/database';
import { createDelivery } from '@attache/database/contract';
import { expect, it } from 'vitest';
import { type Fixture, messageOf, openFixture } from './__fixtures__/open-fixture.ts';
import { executePlan } from './execute-plan.ts';

const readDelivery = ({ deps, tenantId }: Fixture, deliveryId: string) =>
  deps.db.readAsTenant(tenantId, (tx) => findDelivery(tx, deliveryId));

async function queue(fixture: Fixture) {
  const { tenantId, sessionId } = fixture;
  const { deliveryId } = await createDelivery(fixture.deps.db, fixture);
  fixture.takePublished();
  return { deliveryId, message: messageOf('delivery.queued', { tenantId, sessionId, deliveryId }) };
}

it('makes the parts of a delivery and tells its gateway', async () => {
  const fixture = await openFixture();
  const { deliveryId, message } = await queue(fixture);
  await executePlan(fixture.deps, message);
  const parts = [{ type: 'text', text: 'hello' }];
  expect(await readDelivery(fixture, deliveryId)).toMatchObject({ status: 'prepared', parts });
  expect(fixture.takePublished()).toEqual(['delivery.prepared']);
  expect((await fixture.readEvents()).at(-1)).toMatchObject({ kind: 'delivery.prepared', data: { attempt: 1 } });
});

it('does it once, however often the message comes [W8]', async () => {
  const fixture = await openFixture();
  const { message } = await queue(fixture);
  await executePlan(fixture.deps, message);
  const before = await fixture.readEvents();
  fixture.takePublished();
  await executePlan(fixture.deps, message);
  expect([await fixture.readEvents(), fixture.takePublished()]).toEqual([before, []]);
});

it('leaves a delivery of another tenant as it is', async () => {
  const [fixture, other] = [await openFixture(), await openFixture()];
  const { deliveryId, message } = await queue(fixture);
  await executePlan(fixture.deps, { ...message, data: { ...message.data, tenantId: other.tenantId } });
  expect(await readDelivery(fixture, deliveryId)).toMatchObject({ status: 'queued' });
});

it('fails a delivery whose text was erased, and says that nothing is to be brought', async () => {
  const fixture = await openFixture();
  const { deliveryId, message } = await queue(fixture);
  await fixture.deps.db.asTenant(fixture.tenantId, (tx) => tx.execute('delete from message_text'));
  await executePlan(fixture.deps, message);
  const failure = { code: 'attachment_missing', retryable: false };
  expect(await readDelivery(fixture, deliveryId)).toMatchObject({ status: 'failed', failure });
  expect(fixture.takePublished()).toEqual(['delivery.stopped']);
  expect((await fixture.readEvents()).at(-1)).toMatchObject({ kind: 'delivery.failed', data: { failure } });
});
