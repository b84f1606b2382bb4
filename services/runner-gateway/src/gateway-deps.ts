import type { AgentDriver } from '@attache/agent-process';
import type { BlobStore } from '@attache/blob-store';
import type { Profiles, Runtime } from '@attache/contracts';
import type { Database } from '@attache/database';
import type { PermissionDefault } from '@attache/domain';
import type { Doorbells, EventBus } from '@attache/event-bus';
import type { IntakeDeps } from '@attache/intake';
import type { MediaPool } from '@attache/media';
import type { ModelRelay } from '@attache/model-relay';
import type { SandboxDefault } from '@attache/programs/choose-sandbox';
import type { OpeningKey } from '@attache/secrets/key-text';
import type { Logger } from '@attache/telemetry';
import type { LeftFolders } from './files/left-folders.ts';
import type { RequestPace } from './granted/request-pace.ts';
import type { AgentConnections } from './host/agent-connections.ts';
import type { LeaseLink } from './ownership/keep-lease.ts';
import type { StartGuard } from './ownership/lease-guard.ts';
import type { SessionOwnership } from './ownership/session-ownership.ts';
import type { UseLedger } from './use/use-ledger.ts';

/** The dependencies of the gateway. */
export type GatewayDeps = {
  db: Database;
  blobs: BlobStore;
  bus: EventBus;
  doorbells: Doorbells;
  profiles: Profiles;
  drivers: Partial<Record<Runtime, AgentDriver>>;
  /** Between agents and their model APIs. */
  relay: Pick<ModelRelay, 'open'>;
  /** The keys that open the secrets of tenants, the newest first. If empty, no secret can be opened. */
  secretKeys: readonly OpeningKey[];
  /** For files that agents make. */
  intake: IntakeDeps;
  /** Makes what agents ask to see. */
  media: MediaPool;
  log: Logger;
  /** Set if other gateways may take over its sessions. Undefined: no other gateway can have them. */
  sharing?: GatewaySharing | undefined;
  settings: GatewaySettings;
};

export type GatewaySharing = {
  /** For the lease alone: requests for sessions never come before it. */
  leaseLink: LeaseLink;
  startGuard: StartGuard;
};

/**
 * Adds the sessions that this gateway owns and the use of their agents, which every writer needs, what bounds agents (the count of their connections and
 * the pace of their requests), and the folders that they have left.
 */
export type OwningDeps = GatewayDeps & {
  ownership: SessionOwnership;
  use: UseLedger;
  connections: AgentConnections;
  pace: RequestPace;
  leftFolders: LeftFolders;
};

/** How long a gateway waits, if not as long as the constants at each use say: for tests that wait. */
export type GatewayLimits = {
  /** How long its lease lasts while no other gateway lives. */
  aloneMs?: number | undefined;
  /** How long a delivery waits for a gateway that has its program. */
  programMs?: number | undefined;
};

export type GatewaySettings = {
  /** The same over restarts: a new incarnation of it takes over what the old one owned. */
  replicaId: string;
  /** Holds the name of the incarnation that works here. `isFormerDead`: the one that wrote it before is known to have ended. */
  incarnation: { file: string; isFormerDead: boolean };
  /** A folder per agent below it. */
  agentsFolder: string;
  /** Short, outside the data folder: a unix socket's path may have 107 bytes. */
  runtimeFolder: string;
  /** The platform's own folders: a sandbox shows nothing of them but the agent's. */
  privateFolders: readonly string[];
  maxOutputBytes: number;
  /** How many agents may have a process at the same time; undefined: as many as there is memory for. */
  maxAgents?: number | undefined;
  /** How many connections agents may have open at a time, all together; as many as on a usual machine without it. */
  maxAgentConnections?: number | undefined;
  /** How long a stop waits for running turns. */
  drainMs: number;
  /** The real ones without it. */
  limits?: GatewayLimits | undefined;
  /** For profiles that do not say. */
  permissionMode: PermissionDefault;
  sandbox: SandboxDefault;
  /** Uuid of the one tenant whose sessions this gateway takes; undefined: it takes those of all. */
  pinnedTenant?: string | undefined;
  /** Programs that come with the product, by the name that profiles use. */
  bundledPrograms: Readonly<Record<string, readonly string[]>>;
  /** Reads the operator's environment for `secretEnv`. */
  readVariable: (name: string) => string | undefined;
};
