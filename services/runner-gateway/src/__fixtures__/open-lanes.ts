import { vi } from 'vitest';
import { createAgentLanes } from '../deliver/agent-lanes.ts';
import { type Conduct, hostAgents } from './inner-agents.ts';
import type { Fixture } from './open-fixture.ts';

/** Lanes of a fixture's session over agents that live in this process. */
export function openLanes(fixture: Fixture, conduct: Conduct = {}) {
  const { deps, host, driver } = hostAgents(fixture, conduct);
  const quiet: string[] = [];
  const lanes = createAgentLanes(deps, ({ sessionId }) => void quiet.push(sessionId));
  const rest = async () => {
    lanes.wake(fixture.session, fixture.agentId);
    await vi.waitUntil(() => !lanes.isBusy(fixture.sessionId), { timeout: 60_000 });
    await host.stopAll('shutdown');
  };
  return { lanes, host, driver, quiet, rest };
}
