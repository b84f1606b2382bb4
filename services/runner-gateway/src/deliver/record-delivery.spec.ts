import type { Failure } from '@attache/contracts';
import { claimSession, markWriting, takeReplica } from '@attache/database';
import { heldNothing } from '@attache/domain';
import { expect, it } from 'vitest';
import { claimJourney, openScene, prepareJourney, readAgent } from '../__fixtures__/open-scene.ts';
import { cancelUnwritten, failDelivery, recordMove } from './record-delivery.ts';

const failure: Failure = {
  ...{ code: 'delivery_agent_crashed', severity: 'error', userMessage: 'It crashed.' },
  ...{ diagnostic: 'planted', retryable: true },
};

it('takes a delivery and writes it, each once and under its epoch, and its agent is busy', async () => {
  const scene = await openScene();
  const { deps } = scene;
  const journey = await prepareJourney(scene);
  const claimed = await recordMove(deps, journey, 'claimed');
  expect(await readAgent(scene)).toMatchObject({ status: 'busy' });
  const written = claimed && (await recordMove(deps, claimed, 'written'));
  expect([journey, claimed, written]).toMatchObject([
    { row: { status: 'prepared' } },
    { row: { status: 'claimed', epoch: 1 } },
    { row: { status: 'written', epoch: 1 } },
  ]);
  expect(await scene.readEvents()).toMatchObject([
    { kind: 'message.accepted' },
    { kind: 'delivery.claimed', data: { epoch: 1, attempt: 1 } },
    { kind: 'delivery.written', data: { epoch: 1, attempt: 1 } },
  ]);
});

it('does not take what someone else moved first', async () => {
  const scene = await openScene();
  const journey = await prepareJourney(scene);
  await cancelUnwritten(scene.deps, scene.session, journey.row);
  expect(await recordMove(scene.deps, journey, 'claimed')).toBeUndefined();
  expect(await scene.readRow(journey.row.id)).toMatchObject({ status: 'cancelled' });
});

it('fails a delivery once, with its code in the log; what has ended stays as it is', async () => {
  const scene = await openScene();
  const { deps, session } = scene;
  const { row } = await prepareJourney(scene);
  await failDelivery(deps, session, row, failure);
  await failDelivery(deps, session, row, { ...failure, code: 'delivery_turn_timeout' });
  expect(await scene.readRow(row.id)).toMatchObject({ status: 'failed', failure: { code: failure.code } });
  const failed = (await scene.readEvents()).filter(({ kind }) => kind === 'delivery.failed');
  expect(failed).toMatchObject([{ data: { failure: { code: failure.code } } }]);
});

it('cancels nothing of which a byte may have been written', async () => {
  const scene = await openScene();
  const { deps, session } = scene;
  const journey = await claimJourney(scene);
  const facts = { attachmentIds: [], targetVersion: 1, held: heldNothing };
  await markWriting(deps.db, journey.row, facts, deps.ownership.fenceOf(session));
  await cancelUnwritten(deps, session, journey.row);
  expect(await scene.readRow(journey.row.id)).toMatchObject({ status: 'claimed' });
  expect((await scene.readEvents()).at(-1)).toMatchObject({ kind: 'delivery.claimed' });
});

it('changes nothing once another gateway owns the session, and says that it was lost', async () => {
  const scene = await openScene();
  const { deps, session } = scene;
  const journey = await prepareJourney(scene);
  const other = { replicaId: 'other', incarnation: crypto.randomUUID() };
  const { identity } = deps.ownership;
  await takeReplica(deps.db, { ...identity, leaseMs: 0 });
  await takeReplica(deps.db, { ...other, replicaId: other.incarnation, leaseMs: 60_000 });
  await claimSession(deps.db, { ...other, replicaId: other.incarnation, ...session });
  await expect(recordMove(deps, journey, 'claimed')).rejects.toMatchObject({ code: 'OWNERSHIP_LOST' });
  expect(scene.lost).toEqual([session.sessionId]);
  expect(await scene.readRow(journey.row.id)).toMatchObject({ status: 'prepared' });
});
