import { markWriting } from '@attache/database';
import { plantedFailure } from '@attache/database/contract';
import { heldNothing } from '@attache/domain';
import { expect, it } from 'vitest';
import { claimJourney, openScene, prepareJourney, type Scene } from '../__fixtures__/open-scene.ts';
import { cancelUnwritten, failDelivery, recordMove, recordResponse, settleLost } from './record-delivery.ts';

const turn = {
  status: 'responded',
  stopReason: 'end_turn',
  proof: 'its answer',
  handedOut: new Map(),
  modelCalls: { by: 'nobody' },
} as const;

const program = { row: undefined, version: '' };

async function writeJourney(scene: Scene) {
  const written = await recordMove(scene.deps, await claimJourney(scene), 'written');
  if (!written) throw new Error('someone else has moved the delivery');
  return written;
}

async function loseOwner(scene: Scene, isBegun: boolean) {
  const { deps, session } = scene;
  const { row } = await claimJourney(scene);
  const facts = { attachmentIds: [], targetVersion: 1, held: heldNothing };
  if (isBegun) await markWriting(deps.db, row, facts, deps.ownership.fenceOf(session));
  const left = await scene.readRow(row.id);
  return () => settleLost(deps, session, left);
}

type Step = {
  step: string;
  roundTrips: number;
  before: number;
  begin: (scene: Scene) => Promise<() => Promise<unknown>>;
};

const steps: Step[] = [
  {
    ...{ step: 'claimed', roundTrips: 1, before: 1 },
    begin: async (scene) => {
      const journey = await prepareJourney(scene);
      return () => recordMove(scene.deps, journey, 'claimed');
    },
  },
  {
    ...{ step: 'written', roundTrips: 1, before: 1 },
    begin: async (scene) => {
      const journey = await claimJourney(scene);
      return () => recordMove(scene.deps, journey, 'written');
    },
  },
  {
    ...{ step: 'responded', roundTrips: 1, before: 1 },
    begin: async (scene) => {
      const journey = await writeJourney(scene);
      const ended = { ...turn, writtenAt: new Date() };
      return () => recordResponse(scene.deps, journey, { transport: 'acp/stdio', program }, ended);
    },
  },
  {
    // With the read of what it is by then.
    ...{ step: 'failed', roundTrips: 2, before: 6 },
    begin: async (scene) => {
      const { row } = await claimJourney(scene);
      return () => failDelivery(scene.deps, scene.session, row, plantedFailure);
    },
  },
  {
    ...{ step: 'cancelled, its agent gone', roundTrips: 1, before: 5 },
    begin: async (scene) => {
      const { row } = await prepareJourney(scene);
      return () => cancelUnwritten(scene.deps, scene.session, row);
    },
  },
  { step: 'given back', roundTrips: 1, before: 1, begin: (scene) => loseOwner(scene, false) },
  { step: 'failed, its outcome unknown', roundTrips: 1, before: 6, begin: (scene) => loseOwner(scene, true) },
];

it.each(steps)('a delivery is $step in $roundTrips round trips, of $before before', async ({ begin, ...counts }) => {
  const scene = await openScene();
  const step = await begin(scene);
  scene.takeRoundTrips();
  await step();
  expect(scene.takeRoundTrips()).toBe(counts.roundTrips);
  expect(counts.roundTrips).toBeLessThanOrEqual(counts.before);
});
