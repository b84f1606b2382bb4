import type { AgentDriver, AgentSpec, DriverHooks } from '@attache/agent-process';
import type { DeclaredCapability, Failure } from '@attache/contracts';

const STOP_GRACE_MS = 1_000;

export type StartTrial =
  | {
      status: 'started';
      tookMs: number;
      declared: DeclaredCapability;
      programVersion: string | undefined;
      /** Whether the program named its conversation, so that a later process can continue with it. */
      isNamed: boolean;
    }
  | { status: 'failed'; failure: Failure }
  | { status: 'not-tried'; why: string };

// No prompt is sent, so whatever the agent says or wants is of no use.
const deaf: DriverHooks = {
  onOutput: async () => {},
  onDelta: () => {},
  onToolCall: async () => ({ decision: 'deny', reason: 'this is only a trial' }),
  onToolResult: async ({ content }) => content,
};

/** Starts an agent until it could take a prompt, and ends it. */
export async function tryStart(driver: AgentDriver, spec: AgentSpec): Promise<StartTrial> {
  const startedAt = performance.now();
  const outcome = await driver.start(spec, deaf);
  if (outcome.status === 'failed') return outcome;
  const { agent } = outcome;
  const { declared, programVersion, resumeReference } = agent;
  const tookMs = Math.round(performance.now() - startedAt);
  await agent.stop({ graceMs: STOP_GRACE_MS });
  return { status: 'started', tookMs, declared, programVersion, isNamed: resumeReference !== undefined };
}
