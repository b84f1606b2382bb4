import { type AgentSpec, childMarker } from '@attache/agent-process';
import { idFromUuid, type Profile } from '@attache/contracts';
import { type AgentRow, describeAgent } from '@attache/database';
import type { OwningDeps } from '../gateway-deps.ts';
import { describeProfile } from './describe-profile.ts';
import type { AgentWays } from './open-ways.ts';

const TURN_MS = 30 * 60_000;
const START_MS = 30_000;
const MCP_PROGRAM = 'attache-mcp';

/** How long a turn of a profile's agents may take. */
export const findTurnMs = ({ limits }: Pick<Profile, 'limits'>): number => limits.turnMs ?? TURN_MS;

/** The spec with which a driver starts an agent's program. Throws CONFIGURATION_INVALID for a secret of the profile that is not there. */
export async function describeSpec(
  deps: Pick<OwningDeps, 'ownership' | 'settings'>,
  row: AgentRow,
  profile: Profile,
  {
    folder,
    token,
    ways,
    resumeReference,
    restored,
  }: Pick<AgentSpec, 'folder' | 'token' | 'resumeReference' | 'restored'> & { ways: AgentWays },
): Promise<AgentSpec> {
  const { replicaId, incarnation } = deps.ownership.identity;
  return {
    agentId: idFromUuid('agent', row.id),
    ...(await describeProfile(deps.settings, profile, describeAgent(row).target)),
    ...{ folder, token, socketPath: ways.socketPath, endpoint: ways.endpoint },
    ...{ relaySocketPath: ways.relaySocketPath, egressSocketPath: ways.egressSocketPath },
    mcpCommand: deps.settings.bundledPrograms[MCP_PROGRAM],
    ...{ resumeReference, restored },
    turnMs: findTurnMs(profile),
    startMs: profile.limits.startMs ?? START_MS,
    marker: childMarker({ replica: replicaId, incarnation }),
  };
}
