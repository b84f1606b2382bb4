import type { Failure } from '@attache/contracts';
import { claimSession, markWriting, takeReplica } from '@attache/database';
import { heldNothing } from '@attache/domain';
import { expect, it } from 'vitest';
import { claimTask, openFixture, prepareTask, readAgent } from '../__fixtures__/open-fixture.ts';
import { cancelUnwritten, failDelivery, recordMove } from './record-delivery.ts';

const failure: Failure = {
  ...{ code: 'delivery_agent_crashed', severity: 'error', userMessage: 'It crashed.' },
  ...{ diagnostic: 'planted', retryable: true },
};

it('takes a delivery and writes it, each once and under its epoch, and its agent is busy', async () => {
  const fixture = await openFixture();
  const { deps } = fixture;
  const task = await prepareTask(fixture);
  const claimed = await recordMove(deps, task, 'claimed');
  expect(await readAgent(fixture)).toMatchObject({ status: 'busy' });
  const written = claimed && (await recordMove(deps, claimed, 'written'));
  expect([task, claimed, written]).toMatchObject([
    { row: { status: 'prepared' } },
    { row: { status: 'claimed', epoch: 1 } },
    { row: { status: 'written', epoch: 1 } },
  ]);
  expect(await fixture.readEvents()).toMatchObject([
    { kind: 'message.accepted' },
    { kind: 'delivery.claimed', data: { epoch: 1, attempt: 1 } },
    { kind: 'delivery.written', data: { epoch: 1, attempt: 1 } },
  ]);
});

it('does not take what someone else moved first', async () => {
  const fixture = await openFixture();
  const task = await prepareTask(fixture);
  await cancelUnwritten(fixture.deps, fixture.session, task.row);
  expect(await recordMove(fixture.deps, task, 'claimed')).toBeUndefined();
  expect(await fixture.readRow(task.row.id)).toMatchObject({ status: 'cancelled' });
});

it('fails a delivery once, with its code in the log; what has ended stays as it is', async () => {
  const fixture = await openFixture();
  const { deps, session } = fixture;
  const { row } = await prepareTask(fixture);
  await failDelivery(deps, session, row, failure);
  await failDelivery(deps, session, row, { ...failure, code: 'delivery_turn_timeout' });
  expect(await fixture.readRow(row.id)).toMatchObject({ status: 'failed', failure: { code: failure.code } });
  const failed = (await fixture.readEvents()).filter(({ kind }) => kind === 'delivery.failed');
  expect(failed).toMatchObject([{ data: { failure: { code: failure.code } } }]);
});

it('fails no later attempt: one that was planned again meanwhile is delivered as that [DL-51]', async () => {
  const fixture = await openFixture();
  const { deps, session, tenantId } = fixture;
  const { row } = await prepareTask(fixture);
  await deps.db.asTenant(tenantId, (tx) =>
    tx
      .execute(
        `update delivery set attempts = attempts + 1, target_version = target_version + 1 where id = '${row.id}'`,
      )
      .then(),
  );
  await failDelivery(deps, session, row, { ...failure, code: 'delivery_target_unknown' });
  expect(await fixture.readRow(row.id)).toMatchObject({ status: 'prepared', failure: null });
});

it('cancels nothing of which a byte may have been written', async () => {
  const fixture = await openFixture();
  const { deps, session } = fixture;
  const task = await claimTask(fixture);
  const facts = { attachmentIds: [], targetVersion: 1, held: heldNothing };
  await markWriting(deps.db, task.row, facts, deps.ownership.fenceOf(session));
  await cancelUnwritten(deps, session, task.row);
  expect(await fixture.readRow(task.row.id)).toMatchObject({ status: 'claimed' });
  expect((await fixture.readEvents()).at(-1)).toMatchObject({ kind: 'delivery.claimed' });
});

it('changes nothing once another gateway owns the session, and says that it was lost', async () => {
  const fixture = await openFixture();
  const { deps, session } = fixture;
  const task = await prepareTask(fixture);
  const other = { replicaId: 'other', incarnation: crypto.randomUUID() };
  const { identity } = deps.ownership;
  await takeReplica(deps.db, { ...identity, leaseMs: 0 });
  await takeReplica(deps.db, { ...other, replicaId: other.incarnation, leaseMs: 60_000 });
  await claimSession(deps.db, { ...other, replicaId: other.incarnation, ...session });
  await expect(recordMove(deps, task, 'claimed')).rejects.toMatchObject({ code: 'OWNERSHIP_LOST' });
  expect(fixture.lost).toEqual([session.sessionId]);
  expect(await fixture.readRow(task.row.id)).toMatchObject({ status: 'prepared' });
});
