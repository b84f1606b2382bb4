import { join } from 'node:path';
import { createAgentUsers, shareUsers } from '@attache/agent-process';
import { Fault, isId, uuidFromId } from '@attache/contracts';
import { type Database, findTenantByName, lockFolder, readTenant } from '@attache/database';
import { redactText } from '@attache/domain';
import { startModelRelay } from '@attache/model-relay';
import {
  closeDataFolder,
  createLiveProfiles,
  leaveOutUnreachable,
  type OfferedProfiles,
  readDescriptorLimit,
  reloadProfiles,
  runtimeFolderOf,
  shareDescriptors,
} from '@attache/process-setup';
import { loadDrivers } from '@attache/programs/drivers';
import { type SettledSandbox, settlePermissions, settleSandbox } from '@attache/programs/settle-sandbox';
import {
  type GatewayLimits,
  type GatewaySharing,
  type RunningGateway,
  startRunnerGateway,
} from '@attache/runner-gateway';
import { type Logger, observeOwnership } from '@attache/telemetry';
import { PERMISSION_MODE } from './agents-config.ts';
import { createStops, openLeaseLink, openProcess, openTogether, type Stops } from './compose-process.ts';
import type { GatewayConfig } from './config.ts';
import { type LaunchedGuard, launchGuard, startGuard } from './gateway/guard/start-guard.ts';
import { openMedia } from './media/open-media.ts';
import { drain, type RunningService } from './running-service.ts';
import { type Metrics, serveProcess } from './serve-process.ts';

/** How agents' programs are driven, whatever the settings. */
const DRIVEN = { redact: redactText, client: { name: 'attache', version: '0.1.0' } };

/** `limits`: the real ones without them, which no setting changes. */
type LimitedConfig = GatewayConfig & { limits?: GatewayLimits | undefined };

/** Starts the runner-gateway process of the hosted stack. */
export async function startHostedGateway(config: LimitedConfig, telemetry: Metrics): Promise<RunningService> {
  const stops = createStops();
  try {
    return await compose(config, telemetry, stops);
  } catch (error) {
    await stops.stopAll();
    throw error;
  }
}

async function compose(config: LimitedConfig, telemetry: Metrics, stops: Stops) {
  const { pinnedTenant: pinned } = config;
  // First of all: it loads while the rest waits for its servers.
  const launched = launchGuard();
  stops.defer(async () => void launched.child.stdin?.end());
  const [sandbox, opened] = await openTogether(
    settleSandbox({ need: 'required', pinnedTenant: pinned }, config.inherited.PATH),
    openProcess(config, 'runner-gateway', stops),
  );
  const { checks, relay: _relay, link: _link, ...ports } = opened;
  const { db, blobs } = ports;
  const pinnedTenant = pinned === undefined ? undefined : await findPinnedTenant(db, pinned);
  const notes = sayHowItServes(ports.log, config, sandbox);
  let running: RunningGateway | undefined;
  const ownership = async () => running?.checkReady();
  const serving = await serveProcess({ ...config, notes }, { ...checks, ownership }, telemetry, stops);
  const lock = await holdFolder(config, stops);
  const live = createLiveProfiles(config.profiles);
  const exchangeFolder = join(config.dataDir, 'media');
  const users = config.agentUsers && shareUsers(config.agentUsers);
  const placed = { ...config, exchangeFolder, searchPath: config.inherited.PATH, mediaUser: users?.media };
  const [media, relay, sharing, drivers] = await openTogether(
    openMedia(placed, ports.log, stops),
    openRelay(config, ports.log, stops),
    openSharing(config, { log: ports.log, launched }, stops),
    loadDrivers({ ...DRIVEN, inherited: config.inherited, users: users && createAgentUsers(users.agents) }),
  );
  const gateway = await startRunnerGateway({
    ...{ ...ports, sharing, relay, media, drivers },
    secretKeys: config.secretKeys,
    profiles: live.profiles,
    intake: { db, blobs, signingKeys: config.signingKeys, baseUrl: () => `${config.publicUrl}/v1` },
    settings: {
      replicaId: config.replicaId,
      incarnation: { file: join(config.dataDir, 'incarnation'), isFormerDead: lock.isFormerDead },
      agentsFolder: join(config.dataDir, 'agents'),
      runtimeFolder: runtimeFolderOf(config.dataDir),
      privateFolders: [config.dataDir, runtimeFolderOf(config.dataDir)],
      maxOutputBytes: config.maxUploadBytes,
      drainMs: config.drainMs,
      limits: config.limits,
      maxAgents: config.maxAgents,
      maxAgentConnections: shareDescriptors(readDescriptorLimit()).agentConnections,
      permissionMode: settlePermissions(PERMISSION_MODE, sandbox),
      sandbox: sandbox.byDefault,
      pinnedTenant,
      bundledPrograms: config.bundledPrograms,
      readVariable: config.readVariable,
    },
  });
  running = gateway;
  stops.defer(observeOwnership(gateway.readOwnership));
  stops.defer(() => gateway.stop());
  serving.start();
  const readProfiles = () => warnOfUnreachable(config.readProfiles(), sandbox);
  const onReplaced = gateway.askPrograms;
  const reload = () => reloadProfiles({ live, readProfiles, onReplaced, log: ports.log });
  return { opsUrl: serving.opsUrl, reloadProfiles: reload, stop: () => drain(serving, stops) };
}

/** Takes the data folder for this process alone, and closes it to other users. */
async function holdFolder({ dataDir }: GatewayConfig, stops: Stops) {
  const lock = await lockFolder(dataDir);
  stops.defer(() => lock.release());
  await closeDataFolder(dataDir);
  return lock;
}

/** Ingest offers all profiles. A delivery to one that reaches nobody fails with what to write. */
const warnOfUnreachable = (offered: OfferedProfiles, { byDefault }: SettledSandbox): OfferedProfiles => ({
  ...offered,
  warnings: leaveOutUnreachable(offered, byDefault).warnings,
});

/** Uuid of the tenant of `ATTACHE_PINNED_TENANT`, its name or its id. Throws CONFIGURATION_INVALID if there is none. */
async function findPinnedTenant(db: Database, nameOrId: string): Promise<string> {
  const found = await findTenant(db, nameOrId);
  if (found !== undefined) return found;
  throw new Fault('CONFIGURATION_INVALID', `ATTACHE_PINNED_TENANT names ${nameOrId}, and there is no such tenant.`);
}

async function findTenant(db: Database, nameOrId: string): Promise<string | undefined> {
  if (!isId('tenant', nameOrId)) return await findTenantByName(db, nameOrId);
  const uuid = uuidFromId(nameOrId);
  return (await db.readAsTenant(uuid, readTenant)) && uuid;
}

/** Logs what a gateway does otherwise than others do, and answers the same as lines for `/readyz`. */
function sayHowItServes(
  log: Pick<Logger, 'info' | 'warn'>,
  { pinnedTenant, profiles }: GatewayConfig,
  sandbox: SettledSandbox,
): string[] {
  const { notice } = sandbox;
  if (pinnedTenant !== undefined) log.info({ tenant: pinnedTenant }, 'gateway.pinned');
  if (notice !== undefined) log.warn({ notice }, 'sandbox.unavailable');
  for (const warning of warnOfUnreachable({ profiles, warnings: [] }, sandbox).warnings)
    log.warn({ warning }, 'profiles.warning');
  return [
    ...(pinnedTenant === undefined ? [] : [`tenant ${pinnedTenant} alone`]),
    ...(notice === undefined ? [] : [`sandbox unavailable: ${notice}`]),
  ];
}

async function openRelay({ dataDir }: GatewayConfig, log: Logger, stops: Stops) {
  const relay = await startModelRelay({ log, spoolFolder: dataDir });
  stops.defer(() => relay.stop());
  return relay;
}

type Guarding = { log: Logger; launched: LaunchedGuard };

/** Opens the lease and the guard: they keep other gateways from its sessions while it lives, and let them take these when it does not. */
async function openSharing(config: GatewayConfig, guarding: Guarding, stops: Stops): Promise<GatewaySharing> {
  const leaseLink = await openLeaseLink(config, stops);
  const { url: databaseUrl } = config.database;
  return { leaseLink, startGuard: (identity) => startGuard({ databaseUrl, ...guarding }, identity) };
}
