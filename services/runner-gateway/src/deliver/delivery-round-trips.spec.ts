import { markWriting } from '@attache/database';
import { plantedFailure } from '@attache/database/contract';
import { heldNothing } from '@attache/domain';
import { expect, it } from 'vitest';
import { claimTask, type Fixture, openFixture, prepareTask } from '../__fixtures__/open-fixture.ts';
import { cancelUnwritten, failDelivery, recordMove, recordResponse } from './record-delivery.ts';
import { settleLost } from './settle-lost.ts';

const turn = {
  status: 'responded',
  stopReason: 'end_turn',
  proof: 'its answer',
  handedOut: new Map(),
  modelCalls: { by: 'nobody' },
  lacksTools: false,
} as const;

const program = { row: undefined, version: '', profile: 'p', settingsSha256: '' };

async function writeTask(fixture: Fixture) {
  const written = await recordMove(fixture.deps, await claimTask(fixture), 'written');
  if (!written) throw new Error('someone else has moved the delivery');
  return written;
}

async function loseOwner(fixture: Fixture, isBegun: boolean) {
  const { deps, session } = fixture;
  const { row } = await claimTask(fixture);
  const facts = { attachmentIds: [], targetVersion: 1, held: heldNothing };
  if (isBegun) await markWriting(deps.db, row, facts, deps.ownership.fenceOf(session));
  const left = await fixture.readRow(row.id);
  return () => settleLost(deps, session, left, 'owner-gone');
}

type Step = {
  step: string;
  roundTrips: number;
  before: number;
  begin: (fixture: Fixture) => Promise<() => Promise<unknown>>;
};

const steps: Step[] = [
  {
    ...{ step: 'claimed', roundTrips: 1, before: 1 },
    begin: async (fixture) => {
      const task = await prepareTask(fixture);
      return () => recordMove(fixture.deps, task, 'claimed');
    },
  },
  {
    ...{ step: 'written', roundTrips: 1, before: 1 },
    begin: async (fixture) => {
      const task = await claimTask(fixture);
      return () => recordMove(fixture.deps, task, 'written');
    },
  },
  {
    ...{ step: 'responded', roundTrips: 1, before: 1 },
    begin: async (fixture) => {
      const task = await writeTask(fixture);
      const ended = { ...turn, writtenAt: new Date() };
      return () => recordResponse(fixture.deps, task, { transport: 'acp/stdio', program }, ended);
    },
  },
  {
    // With the read of what it is by then.
    ...{ step: 'failed', roundTrips: 2, before: 6 },
    begin: async (fixture) => {
      const { row } = await claimTask(fixture);
      return () => failDelivery(fixture.deps, fixture.session, row, plantedFailure);
    },
  },
  {
    ...{ step: 'cancelled, its agent gone', roundTrips: 1, before: 5 },
    begin: async (fixture) => {
      const { row } = await prepareTask(fixture);
      return () => cancelUnwritten(fixture.deps, fixture.session, row);
    },
  },
  { step: 'given back', roundTrips: 1, before: 1, begin: (fixture) => loseOwner(fixture, false) },
  { step: 'failed, its outcome unknown', roundTrips: 1, before: 6, begin: (fixture) => loseOwner(fixture, true) },
];

it.each(steps)('a delivery is $step in $roundTrips round trips, of $before before', async ({ begin, ...counts }) => {
  const fixture = await openFixture();
  const step = await begin(fixture);
  fixture.takeRoundTrips();
  await step();
  expect(fixture.takeRoundTrips()).toBe(counts.roundTrips);
  expect(counts.roundTrips).toBeLessThanOrEqual(counts.before);
});
