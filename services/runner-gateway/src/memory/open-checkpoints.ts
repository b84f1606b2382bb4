import type { AgentEndpoint, RunningAgent } from '@attache/agent-process';
import type { Profile } from '@attache/contracts';
import type { AgentRow } from '@attache/database';
import type { OwningDeps } from '../gateway-deps.ts';
import type { SessionKey } from '../ownership/session-ownership.ts';
import { readTenantSecret } from '../secrets/read-tenant-secret.ts';
import { readEndpointKey, resolveSecrets } from '../secrets/resolve-secrets.ts';
import { type AgentCheckpoints, createCheckpoints } from './agent-checkpoints.ts';
import { DEFAULT_CHECKPOINT_BYTES, type RecalledMemory } from './recall-memory.ts';

type Started = {
  session: SessionKey;
  row: AgentRow;
  profile: Profile;
  folder: string;
  running: RunningAgent;
  recalled: RecalledMemory;
  token: string;
  ways: { endpoint: AgentEndpoint | undefined };
};

/** The keeper of a started agent's memory; undefined if there is nothing to keep. */
export function openCheckpoints(deps: OwningDeps, started: Started): AgentCheckpoints | undefined {
  const { session, row, profile, folder, running, recalled } = started;
  const { checkpointBytes: maxBytes = DEFAULT_CHECKPOINT_BYTES } = profile.limits;
  const { memory, kept } = recalled;
  if (memory === undefined || maxBytes === 0) return undefined;
  const readSecrets = () => listSecrets(deps, started);
  const owner = { session, row, folder, memory, running, readSecrets, maxBytes };
  return createCheckpoints(deps, owner, { kept: running.isResumed ? kept : undefined });
}

/** All that is secret in the environment of an agent's process, and in its profile. */
async function listSecrets(deps: OwningDeps, { session, profile, token, ways }: Started): Promise<string[]> {
  const { readVariable } = deps.settings;
  const key =
    profile.endpoint &&
    (await readEndpointKey(profile.endpoint, {
      readVariable,
      readTenantSecret: (name) => readTenantSecret(deps, session.tenantId, name),
    }));
  const values = [token, ways.endpoint?.apiKey, key, ...Object.values(await resolveSecrets(profile, readVariable))];
  return values.filter((value) => value !== undefined);
}
