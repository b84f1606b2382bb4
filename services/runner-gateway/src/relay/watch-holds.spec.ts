import { idFromUuid } from '@attache/contracts';
import { describeDelivery } from '@attache/database';
import { expect, it } from 'vitest';
import { claimTask, type Fixture, openFixture, prepareTask } from '../__fixtures__/open-fixture.ts';
import { recordMove } from '../deliver/record-delivery.ts';
import { openTurn } from '../output/output-sink.ts';
import { watchHolds } from './watch-holds.ts';

const code = 'attachment_provider_rate_limited';

const turnOf = (deliveryId: string) => openTurn({ deliveryId: idFromUuid('delivery', deliveryId), trace: undefined });

const watch = ({ deps, session }: Fixture, currentTurn: Parameters<typeof watchHolds>[1]['currentTurn']) =>
  watchHolds(deps, { session, api: 'anthropic', currentTurn });

async function readTimeline({ deps, tenantId, readRow }: Fixture, deliveryId: string) {
  const row = await readRow(deliveryId);
  const { timeline } = await deps.db.readAsTenant(tenantId, (tx) => describeDelivery(tx, row));
  return timeline.map((each) => [each.status, each.code]);
}

it('says a wait once in the timeline of its delivery, however many requests are held, and its status stays', async () => {
  const fixture = await openFixture();
  const claimed = await claimTask(fixture);
  const { id } = claimed.row;
  const turn = turnOf(id);
  const hold = watch(fixture, () => turn);
  const ends = [hold(), hold(), hold()];
  const before = [
    ['queued', undefined],
    ['prepared', undefined],
    ['claimed', undefined],
  ];
  await expect.poll(() => readTimeline(fixture, id), { timeout: 60_000 }).toEqual([...before, ['claimed', code]]);
  for (const end of ends) end();
  // Another wait, after the delivery was moved on.
  await recordMove(fixture.deps, claimed, 'written');
  hold()();
  const written = [...before, ['claimed', code], ['written', undefined], ['written', code]];
  await expect.poll(() => readTimeline(fixture, id), { timeout: 60_000 }).toEqual(written);
  // A provider that never recovers does not fill it.
  for (let count = 0; count < 40; count += 1) hold()();
  expect(turn.waitCount).toBe(16);
  await expect.poll(() => readTimeline(fixture, id), { timeout: 60_000 }).toHaveLength(written.length + 14);
});

it('says nothing between turns, nor of a delivery that is not under way', async () => {
  const fixture = await openFixture();
  const { id } = (await prepareTask(fixture)).row;
  watch(fixture, () => undefined)();
  const turn = turnOf(id);
  watch(fixture, () => turn)();
  expect(turn.waitCount).toBe(1);
  expect(await readTimeline(fixture, id)).toEqual([
    ['queued', undefined],
    ['prepared', undefined],
  ]);
});
