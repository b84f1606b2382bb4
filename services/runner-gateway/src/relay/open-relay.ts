import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type AgentEndpoint, RELAY_PORT } from '@attache/agent-process';
import { type AgentId, Fault, type Profile } from '@attache/contracts';
import { findModelRow } from '@attache/domain';
import type { Mending, ModelApi, OpenedRelay, Overflow, RelayAccess } from '@attache/model-relay';
import { catalog } from '@attache/programs/catalog';
import { findProgram } from '@attache/programs/find-program';
import type { OwningDeps } from '../gateway-deps.ts';
import type { TurnSlot } from '../output/turn-slot.ts';
import type { SessionKey } from '../ownership/session-ownership.ts';
import type { AgentQuarantine } from '../quarantine/agent-quarantine.ts';
import type { MakeRoom } from '../quarantine/make-room.ts';
import { findSandbox } from '../sandbox/find-sandbox.ts';
import { readTenantSecret } from '../secrets/read-tenant-secret.ts';
import { readEndpointKey } from '../secrets/resolve-secrets.ts';
import { createUseNote } from '../use/note-use.ts';
import type { ForwardGate } from './forward-gate.ts';
import { watchHolds } from './watch-holds.ts';
import { isOwnRequest, type OwnRequests, watchRequests } from './watch-requests.ts';

/** The model of a target that leaves it to the program. */
const PROGRAM_CHOOSES = 'default';

/** The endpoint that a program gets in place of its model API and the key for it. */
export type AgentRelay = {
  endpoint: AgentEndpoint;
  /** Set for a sandboxed program, which has no network: the path where the relay listens for it. */
  socketPath: string | undefined;
  close(): void;
};

/** The agent that a relay belongs to. */
export type RelayOwner = {
  /** The session whose tenant's secrets and tokens it uses. Undefined: a probe belongs to nobody, and asks its model API nothing. */
  session: SessionKey | undefined;
  agentId: AgentId;
  epoch: number;
  provider: string;
  model: string;
  turns: Pick<
    TurnSlot,
    'current' | 'noteRequest' | 'nameWire' | 'noteRefusal' | 'noteLastEnd' | 'timeLeft' | 'whenNoneRuns'
  >;
  /** Undefined: it is a probe's. */
  quarantine?: AgentQuarantine | undefined;
  /** Undefined: it is a probe's. */
  makeRoom?: MakeRoom | undefined;
  forwards?: ForwardGate | undefined;
};

/**
 * Puts a relay before the model API of a profile, so that its program holds no key. Undefined if the profile names no API: its program then
 * calls whom it likes, with what its environment or home gives it. Throws CONFIGURATION_INVALID for a key that is not there, SECRET_NOT_FOUND
 * for one that the tenant has not saved.
 */
export async function openRelay(
  deps: Pick<OwningDeps, 'connections' | 'db' | 'log' | 'ownership' | 'relay' | 'secretKeys' | 'settings' | 'use'>,
  profile: Pick<Profile, 'endpoint' | 'runtime' | 'command' | 'provider' | 'sandbox'>,
  owner: RelayOwner,
): Promise<AgentRelay | undefined> {
  const { endpoint } = profile;
  if (endpoint === undefined) return undefined;
  const tenantId = owner.session?.tenantId;
  const readKey = () =>
    readEndpointKey(endpoint, {
      readVariable: deps.settings.readVariable,
      readTenantSecret: (name) => (tenantId === undefined ? refuseProbe() : readTenantSecret(deps, tenantId, name)),
    });
  // A missing key is reported before a program is started in vain.
  if (tenantId !== undefined) await readKey();
  const { agentId, epoch, turns, quarantine, forwards } = owner;
  const model = owner.model === PROGRAM_CHOOSES ? undefined : owner.model;
  const program = findProgram(profile.runtime, profile.command);
  const access: RelayAccess = {
    ...{ agentId, epoch, model },
    isInTurn: () => turns.current() !== undefined,
    ...shareWithOthers(deps, endpoint.api, owner),
    maxRequestBytes: findMaxRequestBytes(profile, owner),
    endpoint: { ...endpoint, readKey },
    watchRequest: watchRequests(deps.log, {
      ...{ api: endpoint.api, model, program, turns, quarantine },
      attributes: { 'gateway.id': deps.ownership.identity.replicaId, 'session.epoch': owner.epoch },
      noteUse: noteUseOf(deps, owner),
    }),
    ...(quarantine === undefined ? {} : { replacements: quarantine.replacements }),
    overflow: openOverflow({ model, program }, owner),
    mending: openMending({ model, program }, owner),
    ...(forwards === undefined ? {} : { allowForward: forwards.allow }),
    admit: (socket) => deps.connections.admit({ agentId, tenantId }, socket),
    errands: program?.errands ?? [],
    errandTexts: program?.turnRequests.errandTexts,
  };
  const opened = deps.relay.open(access);
  turns.whenNoneRuns(opened.endTurn);
  const way = await openSocket(deps, profile, opened);
  return {
    endpoint: {
      ...{ api: endpoint.api, baseUrl: way.baseUrl, apiKey: opened.token },
      ...{ env: endpoint.env, serverTools: endpoint.serverTools ?? [] },
    },
    socketPath: way.socketPath,
    close: opened.close,
  };
}

/** Makes room in a turn's own requests. */
function openOverflow(agent: OwnRequests, { quarantine, makeRoom }: RelayOwner): Overflow | undefined {
  if (quarantine === undefined || makeRoom === undefined) return undefined;
  return {
    isLikely: quarantine.asides.isNear,
    async makeRoom({ model, content, sizeBytes }) {
      if (isOwnRequest(agent, model, content)) await makeRoom({ blocks: content.blocks, sizeBytes });
    },
  };
}

/** Sends a turn's own request again without the files that its provider names, before its program drops what it likes. */
function openMending(agent: OwnRequests, { quarantine, turns }: RelayOwner): Mending | undefined {
  if (quarantine === undefined) return undefined;
  return {
    isLikely: quarantine.files.mayBeRefused,
    listNamed({ model, content, answer }) {
      if (!isOwnRequest(agent, model, content)) return [];
      const { refusal } = answer;
      return quarantine.listNamed({ blocks: content.blocks, answer, refusal, earlier: turns.current()?.earlier });
    },
  };
}

/** A sandboxed program finds the relay at a port of its own loopback, which leads to a socket of its own. */
async function openSocket(
  { settings }: Pick<OwningDeps, 'settings'>,
  profile: Pick<Profile, 'endpoint' | 'runtime' | 'command' | 'sandbox'>,
  opened: OpenedRelay,
): Promise<{ baseUrl: string; socketPath: string | undefined }> {
  const sandbox = findSandbox(settings, profile);
  const hasPort = sandbox === undefined || sandbox.command !== undefined || sandbox.network === 'none';
  if (hasPort) return { baseUrl: opened.baseUrl, socketPath: undefined };
  const socketPath = join(settings.runtimeFolder, `${randomBytes(8).toString('hex')}.relay`);
  try {
    await mkdir(settings.runtimeFolder, { recursive: true, mode: 0o700 });
    return { baseUrl: await opened.listen(socketPath, RELAY_PORT), socketPath };
  } catch (error) {
    opened.close();
    throw error;
  }
}

/** The part of the relay's access that depends on the agent's tenant: in whose turn its requests go, and whether it has tokens left. */
function shareWithOthers(
  deps: Pick<OwningDeps, 'db' | 'log' | 'ownership' | 'use'>,
  api: ModelApi,
  { session, turns }: RelayOwner,
): Pick<RelayAccess, 'tenant' | 'findQuotaWait' | 'findTimeLeft' | 'watchHold'> {
  if (session === undefined) return {};
  const { tenantId } = session;
  // The first answer is at hand when its program asks.
  deps.use.findWait(tenantId);
  return {
    tenant: tenantId,
    findQuotaWait: () => deps.use.findWait(tenantId),
    findTimeLeft: turns.timeLeft,
    watchHold: watchHolds(deps, { session, api, currentTurn: turns.current }),
  };
}

const noteUseOf = ({ use }: Pick<OwningDeps, 'use'>, { session, agentId, provider }: RelayOwner) =>
  session && createUseNote(use, { ...session, agentId, provider });

async function refuseProbe(): Promise<never> {
  throw new Fault('SECRET_NOT_FOUND', 'A probe has no tenant, and no key of one.');
}

/** The largest request that the provider takes, if the catalog knows it. */
function findMaxRequestBytes(
  { runtime, provider = '' }: Pick<Profile, 'runtime' | 'provider'>,
  { model }: Pick<RelayOwner, 'model'>,
): number | undefined {
  return findModelRow(catalog, { runtime, provider, model })?.maxRequestBytes;
}
