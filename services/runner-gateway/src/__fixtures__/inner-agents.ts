import { mkdir } from 'node:fs/promises';
import type {
  AgentDriver,
  AgentExit,
  AgentSpec,
  DeliverRequest,
  DriverHooks,
  RunningAgent,
  StartOutcome,
  TurnOutcome,
} from '@attache/agent-process';
import { type Failure, type Profile, profileSchema } from '@attache/contracts';
import type { DeliverDeps } from '../deliver/deliver.ts';
import { type AgentHost, createAgentHost } from '../host/agent-host.ts';
import type { Fixture } from './open-fixture.ts';

// Agents that live in this process: they speak no protocol, and do what a test says.

/** An agent as its driver has started it. */
export type InnerAgent = {
  spec: AgentSpec;
  hooks: DriverHooks;
  /** The requests that it was given, in order. */
  requests: DeliverRequest[];
  /** The times that its turn was asked to end. */
  interrupts: number;
  /** Ends it as if it ended by itself. */
  end(exit?: Partial<AgentExit>): void;
};

export type Conduct = {
  /** Why none of them starts. */
  startFailure?: Failure;
  /** It has started when this is over. */
  onStart?: (spec: AgentSpec) => Promise<void> | undefined;
  /** How it handles a turn; without this it takes the turn and answers. */
  takeTurn?: (request: DeliverRequest, agent: InnerAgent) => Promise<TurnOutcome>;
  resumeReference?: string;
  /** Whether deliveries may enter its turn. */
  isSteerable?: boolean;
};

export const answered: TurnOutcome = { status: 'responded', stopReason: 'end_turn', proof: 'its answer' };

/** Takes a turn and answers. */
export async function takeAndAnswer({ onWriting, onWritten }: DeliverRequest): Promise<TurnOutcome> {
  await onWriting();
  await onWritten();
  return answered;
}

export function createInnerDriver(conduct: Conduct = {}): AgentDriver & { started: InnerAgent[] } {
  const started: InnerAgent[] = [];
  return {
    ...{ started, runtime: 'acp', traits: { takesFiles: false, isSelfDescribing: true } },
    async start(spec, hooks): Promise<StartOutcome> {
      if (conduct.startFailure) return { status: 'failed', failure: conduct.startFailure };
      await conduct.onStart?.(spec);
      await mkdir(spec.folder, { recursive: true });
      const { agent, running } = openAgent(spec, hooks, conduct);
      started.push(agent);
      return { status: 'started', agent: running };
    },
  };
}

function openAgent(spec: AgentSpec, hooks: DriverHooks, conduct: Conduct) {
  const { takeTurn = takeAndAnswer, resumeReference } = conduct;
  const { promise: exited, resolve } = Promise.withResolvers<AgentExit>();
  let isOpen = true;
  const agent: InnerAgent = {
    ...{ spec, hooks, requests: [], interrupts: 0 },
    end(exit = {}) {
      isOpen = false;
      resolve({ exitCode: 0, signal: null, diagnostic: '', ...exit });
    },
  };
  const running: RunningAgent = {
    ...{
      declared: { image: true, audio: false, embeddedContext: false },
      resumeReference,
      isResumed: spec.resumeReference !== undefined,
      exited,
    },
    get isOpen() {
      return isOpen;
    },
    get isSteerable() {
      return conduct.isSteerable ?? false;
    },
    deliver(request) {
      agent.requests.push(request);
      return takeTurn(request, agent);
    },
    copyDatabase: async () => undefined,
    async interrupt() {
      agent.interrupts += 1;
    },
    async stop() {
      agent.end({ exitCode: null, signal: 'SIGTERM' });
    },
  };
  return { agent, running };
}

const offered: Profile = profileSchema.parse({
  ...{ runtime: 'acp', command: ['an-agent'], provider: 'anthropic', model: 'model-1' },
});

export type HostedFixture = {
  deps: DeliverDeps;
  host: AgentHost;
  driver: ReturnType<typeof createInnerDriver>;
  /** Sessions of which an agent has ended. */
  ended: string[];
};

/** Every agent gets a process at once. */
const endlessRoom: DeliverDeps['placement'] = { admit: async () => true, begin() {}, end() {}, forget() {} };

/** The gateway of a fixture with a host of its own, which starts agents of this process. */
export function hostAgents(fixture: Fixture, conduct: Conduct = {}, profile: Partial<Profile> = {}): HostedFixture {
  const driver = createInnerDriver(conduct);
  const ended: string[] = [];
  const offering = { profiles: { example: { ...offered, ...profile } }, drivers: { acp: driver } };
  const onEnded = ({ sessionId }: { sessionId: string }) => void ended.push(sessionId);
  const host = createAgentHost({ ...fixture.deps, ...offering, onEnded });
  return { host, driver, ended, deps: { ...fixture.deps, ...offering, host, placement: endlessRoom } };
}
