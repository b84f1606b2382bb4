import type { AgentEndpoint } from '@attache/agent-process';
import { type AgentId, Fault, type Profile } from '@attache/contracts';
import { findModelRow } from '@attache/domain';
import type { RelayAccess } from '@attache/model-relay';
import { catalog } from '@attache/programs/catalog';
import { findProgram } from '@attache/programs/find-program';
import type { GatewayDeps } from '../gateway-deps.ts';
import type { TurnSlot } from '../output/turn-slot.ts';
import { readTenantSecret } from '../secrets/read-tenant-secret.ts';
import { readEndpointKey } from '../secrets/resolve-secrets.ts';
import { watchRequests } from './watch-requests.ts';

/** The model of a target that leaves it to the program. */
const PROGRAM_CHOOSES = 'default';

/** What a program is given in the place of its model API, and of the key for it. */
export type AgentRelay = { endpoint: AgentEndpoint; close(): void };

/** Whose relay it is. */
export type RelayOwner = {
  /** Whose secrets it may use. Undefined: a probe is nobody's, and asks its model API nothing. */
  tenantId: string | undefined;
  agentId: AgentId;
  epoch: number;
  model: string;
  turns: Pick<TurnSlot, 'current' | 'noteRequest'>;
};

/**
 * Puts a relay before the model API of a profile, so that its program holds no key. Undefined where the profile names no API: its program then
 * calls whom it likes, with what its environment or home gives it. Throws CONFIGURATION_INVALID for a key that is not there, SECRET_NOT_FOUND
 * for one that the tenant has not saved.
 */
export async function openRelay(
  deps: Pick<GatewayDeps, 'db' | 'log' | 'relay' | 'secretKeys' | 'settings'>,
  profile: Pick<Profile, 'endpoint' | 'runtime' | 'command' | 'provider'>,
  { tenantId, ...owner }: RelayOwner,
): Promise<AgentRelay | undefined> {
  const { endpoint } = profile;
  if (endpoint === undefined) return undefined;
  const readKey = () =>
    readEndpointKey(endpoint, {
      readVariable: deps.settings.readVariable,
      readTenantSecret: (name) => (tenantId === undefined ? refuseProbe() : readTenantSecret(deps, tenantId, name)),
    });
  // What is missing is said before a program is started in vain.
  if (tenantId !== undefined) await readKey();
  const { agentId, epoch, turns } = owner;
  const model = owner.model === PROGRAM_CHOOSES ? undefined : owner.model;
  const program = findProgram(profile.runtime, profile.command);
  const access: RelayAccess = {
    ...{ agentId, epoch, model },
    isInTurn: () => turns.current() !== undefined,
    maxRequestBytes: findMaxRequestBytes(profile, owner),
    endpoint: { ...endpoint, readKey },
    watchRequest: watchRequests(deps.log, { api: endpoint.api, model, program, turns }),
    errands: program?.errands ?? [],
    errandTexts: program?.turnRequests.errandTexts,
  };
  const opened = deps.relay.open(access);
  return {
    endpoint: {
      ...{ api: endpoint.api, baseUrl: opened.baseUrl, apiKey: opened.token },
      serverTools: endpoint.serverTools ?? [],
    },
    close: opened.close,
  };
}

async function refuseProbe(): Promise<never> {
  throw new Fault('SECRET_NOT_FOUND', 'A probe has no tenant, and no key of one.');
}

/** What the provider takes at once, where the catalog knows it. */
function findMaxRequestBytes(
  { runtime, provider = '' }: Pick<Profile, 'runtime' | 'provider'>,
  { model }: Pick<RelayOwner, 'model'>,
): number | undefined {
  return findModelRow(catalog, { runtime, provider, model })?.maxRequestBytes;
}
