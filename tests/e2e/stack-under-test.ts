import type { OperatorCommand, OperatorInput, OperatorOutput, profileSchema } from '@attache/contracts';
import type { FinishedSpan } from '@attache/telemetry/setup';
import type { Api, OtlpReceiver } from '@attache/test-harness';

/** A profile as an operator writes it. */
export type ProfileInput = (typeof profileSchema)['_input'];

export type StackOptions = {
  /** Offered beside the example agent. */
  profiles?: Record<string, ProfileInput>;
  /** Names of tenants beside the first one. */
  tenants?: readonly string[];
  isTraced?: boolean;
  /** 0 for none; generous without it. */
  rateLimits?: { perKeyPerSecond: number; perTenantPerSecond: number; failedAuthPerMinutePerAddress: number };
  /** Spans go to a collector, every log line is kept (level trace), and everything is counted. */
  isWatched?: boolean;
};

/** All that a stack tells of itself. */
export type Watch = {
  otlp: OtlpReceiver;
  /** Every log line so far, of all its processes. */
  logs(): string;
  /** What `/metrics` answers now, of all its processes. */
  metrics(): Promise<string>;
};

/** The stack under test, whatever it is made of. Its address may change when it starts again. */
export type Stack = {
  /** As the first tenant, whose key is trusted with traces. */
  readonly api: Api;
  readonly opsUrl: string;
  /** Spans that have ended so far, where it is traced. */
  readonly spans: readonly FinishedSpan[];
  /** Of a stack that is watched; throws for another one. */
  readonly watch: Watch;
  /** Takes the projector's work folder away for good: what it is given from now on becomes a dead letter. */
  breakProjector(): Promise<void>;
  /** As another tenant. */
  apiOf(tenant: string): Api;
  /** Runs a command as the operator. */
  operate<C extends OperatorCommand>(name: C, input: OperatorInput<C>): Promise<OperatorOutput<C>>;
  /** The folder of one agent's own files. */
  agentFolder(agentId: string): string;
  /** Stops, changes the signing keys (`kid:hex`, the first signs) and starts again. */
  changeSigningKeys(change: (present: string[]) => string[]): Promise<void>;
  /** Stops for good and answers every row of the database as text. */
  stopAndDump(): Promise<string>;
  stop(): Promise<void>;
};
