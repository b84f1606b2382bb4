import type { OperatorCommand, OperatorInput, OperatorOutput } from '@attache/contracts';
import type { FinishedSpan } from '@attache/telemetry/setup';
import type { Api, OtlpReceiver, StackLimits } from '@attache/test-harness';
import type { ProfileInput } from './profiles.ts';

/** A stack as the specs see it, whatever it is made of, with tenants that no other suite uses. */
export type Stack = {
  /** As the suite's first tenant, whose key is trusted with traces. */
  readonly api: Api;
  readonly opsUrl: string;
  /** As another tenant, by the name under which it was asked for. */
  apiOf(tenant: string): Api;
  /** The name that a tenant has on this stack. */
  nameOf(tenant: string): string;
  /** Runs a command as the operator. */
  operate<C extends OperatorCommand>(name: C, input: OperatorInput<C>): Promise<OperatorOutput<C>>;
  /** The folder of one agent's own files. */
  agentFolder(agentId: string): string;
  stop(): Promise<void>;
};

export type StackOptions = {
  /** Names of tenants besides the first one. */
  tenants?: readonly string[];
};

export type OwnStackOptions = StackOptions & {
  logLevel?: 'trace';
  /** Profiles besides those of every stack. */
  profiles?: Record<string, ProfileInput> | undefined;
  /** 0 for none, as without it. */
  rateLimits?: {
    perKeyPerSecond: number;
    perTenantPerSecond: number;
    failedAuthPerMinutePerAddress: number;
    streamsPerKey?: number;
    streamsPerTenant?: number;
  };
  /** In the place of the product's own. */
  limits?: StackLimits | undefined;
  /** Users of which each sandboxed agent gets one, on the embedded stack. */
  agentUids?: string;
};

/** Everything that a stack reports about itself. */
export type Watch = {
  otlp: OtlpReceiver;
  /** Every log line so far, of all its processes. */
  logs(): string;
  /** The present answer of `/metrics`, of all its processes. */
  metrics(): Promise<string>;
};

/** A stack of one suite alone, which may be restarted, broken and taken apart. Its address may change when it starts again. */
export type OwnStack = Stack & {
  /** Spans that have ended so far. */
  spans(): readonly FinishedSpan[];
  readonly watch: Watch;
  /** Takes the projector's work folder away for good: what it is given from now on becomes a dead letter. */
  breakProjector(): Promise<void>;
  /** Stops, changes the signing keys (`kid:hex`, the first signs) and starts again. */
  changeSigningKeys(change: (present: string[]) => string[]): Promise<void>;
  /** Stops, changes the keys that open tenants' secrets (`kid:base64url`, the newest first) and starts again. */
  changeSecretKeys(change: (present: string[]) => string[]): Promise<void>;
  /** Stops for good and answers every row of the database as text. */
  stopAndDump(): Promise<string>;
};

/** A running stack that its suites reach through these facts alone, from whichever process. */
export type StackFacts = {
  url: string;
  opsUrl: string;
  /** Folders below which the agents' folders lie: one for each gateway. */
  agentsFolders: string[];
  logFiles: Record<string, string>;
  /** How the operator reaches it: the data folder of an embedded stack, or the database of a hosted one. */
  operator: { dataDir: string } | { databaseUrl: string; secretKeys: string };
};

export function describeLimits({
  perKeyPerSecond,
  perTenantPerSecond,
  failedAuthPerMinutePerAddress,
  streamsPerKey = 0,
  streamsPerTenant = 0,
}: NonNullable<OwnStackOptions['rateLimits']>): Record<string, string> {
  return {
    ATTACHE_RATE_PER_KEY: String(perKeyPerSecond),
    ATTACHE_RATE_PER_TENANT: String(perTenantPerSecond),
    ATTACHE_RATE_FAILED_LOGINS: String(failedAuthPerMinutePerAddress),
    ATTACHE_STREAMS_PER_KEY: String(streamsPerKey),
    ATTACHE_STREAMS_PER_TENANT: String(streamsPerTenant),
  };
}

export const noLimits = { perKeyPerSecond: 0, perTenantPerSecond: 0, failedAuthPerMinutePerAddress: 0 };
