import { markWriting } from '@attache/database';
import { heldNothing } from '@attache/domain';
import { expect, it } from 'vitest';
import { claimTask, type Fixture, openFixture } from '../__fixtures__/open-fixture.ts';
import { cancelUnwritten } from './record-delivery.ts';
import { settleLost } from './settle-lost.ts';

/** A delivery that is claimed; with `isWatched` its first byte is noted, too. */
async function begin(fixture: Fixture, isWatched?: boolean) {
  const { deps, session } = fixture;
  const { row } = await claimTask(fixture);
  const facts = { attachmentIds: [], targetVersion: 1, held: heldNothing, isWatched };
  if (isWatched !== undefined) await markWriting(deps.db, row, facts, deps.ownership.fenceOf(session));
  return fixture.readRow(row.id);
}

it.each([
  ['owner-gone', undefined, 'given-back', 'prepared'],
  ['owner-gone', true, 'given-back-unforwarded', 'prepared'],
  ['owner-gone', false, 'failed', 'failed'],
  ['unforwarded', undefined, 'given-back', 'prepared'],
  ['unforwarded', true, 'given-back-unforwarded', 'prepared'],
  ['database-away', undefined, 'given-back', 'prepared'],
  // Nobody looks what was forwarded while the database was away.
  ['database-away', true, 'failed', 'failed'],
] as const)('after the loss %s, begun and watched %s, a delivery is %s', async (loss, isWatched, outcome, status) => {
  const fixture = await openFixture();
  const row = await begin(fixture, isWatched);
  expect(await settleLost(fixture.deps, fixture.session, row, loss)).toBe(outcome);
  expect(await fixture.readRow(row.id)).toMatchObject({
    status,
    writingAt: status === 'prepared' ? null : row.writingAt,
  });
});

it('leaves a delivery that a request of its program has reached a model for, whatever the turn said', async () => {
  const fixture = await openFixture();
  const row = await begin(fixture, false);
  expect(await settleLost(fixture.deps, fixture.session, row, 'unforwarded')).toBe('left');
  expect(await fixture.readRow(row.id)).toMatchObject({ status: 'claimed' });
});

it.each(['owner-gone', 'unforwarded', 'database-away'] as const)(
  'leaves after the loss %s a delivery that has ended',
  async (loss) => {
    const fixture = await openFixture();
    const row = await begin(fixture);
    await cancelUnwritten(fixture.deps, fixture.session, row);
    expect(await settleLost(fixture.deps, fixture.session, row, loss)).toBe('left');
    expect(await fixture.readRow(row.id)).toMatchObject({ status: 'cancelled' });
  },
);
