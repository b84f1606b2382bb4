import { randomUUID } from 'node:crypto';
import { type DeliveryPlan, idFromUuid, type PlanItem } from '@attache/contracts';
import { insertProjectionJob, readWaitingProjection } from '@attache/database';
import { expect, it } from 'vitest';
import { addFile, type Fixture, messageOf, openFixture } from './__fixtures__/open-fixture.ts';
import { executeProjection } from './execute-projection.ts';
import { inspectAttachment } from './inspect-attachment.ts';

const planOf = ({ agentId }: Fixture, items: PlanItem[]): DeliveryPlan => ({
  ...{ agentId: idFromUuid('agent', agentId), decision: 'deliver', items, failures: [], budget: {} },
});

async function request(fixture: Fixture, plan: DeliveryPlan) {
  const { deps, tenantId, sessionId } = fixture;
  const jobId = randomUUID();
  await deps.db.asTenant(tenantId, (tx) => insertProjectionJob(tx, { tenantId, sessionId, id: jobId, plan }));
  fixture.takePublished();
  return { jobId, message: messageOf('projection.requested', { tenantId, sessionId, jobId }) };
}

const readWaiting = ({ deps, tenantId }: Fixture, jobId: string) => readWaitingProjection(deps.db, { tenantId, jobId });

it('makes what a plan needs and leaves it for whoever asked, once', async () => {
  const fixture = await openFixture();
  const { deps, tenantId, sessionId } = fixture;
  const attachmentId = await addFile(fixture, Buffer.from('a few words'), 'a.txt');
  await inspectAttachment(deps, messageOf('attachment.added', { tenantId, sessionId, attachmentId }));
  const checks = { decode: 'yes', budget: 'yes', transport: 'yes', model: 'yes', prepare: 'yes' } as const;
  const item: PlanItem = {
    attachmentId: idFromUuid('attachment', attachmentId),
    becomes: 'native',
    checks,
    warnings: [],
  };
  const { jobId, message } = await request(fixture, planOf(fixture, [item]));
  expect(await readWaiting(fixture, jobId)).toMatchObject({ plan: { items: [{ becomes: 'native' }] } });
  await executeProjection(deps, message);
  expect(await readWaiting(fixture, jobId)).toBeUndefined();
  await executeProjection(deps, message);
  expect(await readWaiting(fixture, jobId)).toBeUndefined();
});

it('leaves a job of another tenant as it is', async () => {
  const [fixture, other] = [await openFixture(), await openFixture()];
  const { jobId, message } = await request(fixture, planOf(fixture, []));
  await executeProjection(fixture.deps, { ...message, data: { ...message.data, tenantId: other.tenantId } });
  expect(await readWaiting(fixture, jobId)).not.toBeUndefined();
});
