import { countRoundTrips, createDelivery, plantedFailure, takeFact } from '@attache/database/contract';
import { expect, it } from 'vitest';
import { bringTo, type Fixture, openFixture, readRow } from '../__fixtures__/open-fixture.ts';
import { retryDelivery } from '../delivery/retry-delivery.ts';
import type { IngestDeps } from '../ingest-deps.ts';
import { retargetAgent } from '../session/retarget-agent.ts';
import { cancelDelivery } from './cancel-delivery.ts';
import { interruptAgent } from './interrupt-agent.ts';

type Step = {
  step: string;
  roundTrips: number;
  before: number;
  arrange: (fixture: Fixture, deliveryId: string) => Promise<unknown>;
  act: (deps: IngestDeps, fixture: Fixture, deliveryId: string) => Promise<unknown>;
};

const cancel: Step['act'] = (deps, { caller }, deliveryId) => cancelDelivery(deps, caller, deliveryId);
const interrupt: Step['act'] = (deps, { caller, sessionId, agentId }) =>
  interruptAgent(deps, caller, sessionId, agentId);
const leave = async () => undefined;

const steps: Step[] = [
  { step: 'cancels', roundTrips: 6, before: 8, arrange: leave, act: cancel },
  {
    ...{ step: 'interrupts what is written', roundTrips: 5, before: 5, act: cancel },
    arrange: (fixture, deliveryId) => bringTo(fixture, deliveryId, 'written'),
  },
  {
    ...{ step: 'interrupts an agent that was to take it', roundTrips: 6, before: 8, act: interrupt },
    arrange: (fixture, deliveryId) => bringTo(fixture, deliveryId, 'claimed'),
  },
  {
    ...{ step: 'retries', roundTrips: 8, before: 9 },
    arrange: async (fixture, deliveryId) =>
      takeFact(fixture.deps.db, await readRow(fixture, deliveryId), { kind: 'plan-failed', failure: plantedFailure }),
    act: (deps, { caller, keep }, deliveryId) => retryDelivery(deps, caller, deliveryId, keep),
  },
  {
    // One each for the plan and for the move of each delivery, of one and three before. What is quarantined ends beside the agent's own row.
    ...{ step: 'plans again', roundTrips: 14, before: 14, arrange: leave },
    act: (deps, { caller, sessionId, agentId }) =>
      retargetAgent(deps, caller, { sessionId, agentId, target: { profile: 'words' } }),
  },
];

it.each(steps)(
  '$step a delivery in $roundTrips round trips, of $before before',
  async ({ arrange, act, ...counts }) => {
    const fixture = await openFixture();
    const { deliveryId } = await createDelivery(fixture.deps.db, fixture);
    await arrange(fixture, deliveryId);
    const { db, take } = countRoundTrips(fixture.deps.db);
    await act({ ...fixture.deps, db }, fixture, deliveryId);
    expect(take()).toBe(counts.roundTrips);
    expect(counts.roundTrips).toBeLessThanOrEqual(counts.before);
  },
);
