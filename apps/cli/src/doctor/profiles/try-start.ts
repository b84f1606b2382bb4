import { randomUUID } from 'node:crypto';
import type { AgentDriver, AgentSpec, DriverHooks, RunningAgent } from '@attache/agent-process';
import { type DeclaredCapability, type Failure, idFromUuid } from '@attache/contracts';
import type { RequestTrial } from './trial-api.ts';
import type { FirstRequest } from './trial-ways.ts';

const STOP_GRACE_MS = 1_000;

export type StartTrial =
  | {
      status: 'started';
      tookMs: number;
      declared: DeclaredCapability;
      programVersion: string | undefined;
      /** Whether the program named its conversation, so that a later process can continue with it. */
      isNamed: boolean;
      /** The fate of its first request at the relay; undefined if it asks no relay. */
      request?: RequestTrial | undefined;
    }
  | { status: 'failed'; failure: Failure }
  | { status: 'not-tried'; why: string };

// Its model refuses everything, so whatever the agent says or wants is of no use.
const deaf: DriverHooks = {
  onOutput: async () => {},
  onDelta: () => {},
  onToolCall: async () => ({ decision: 'deny', reason: 'this is only a trial' }),
  onToolResult: async ({ content }) => content,
};

const nothing = (): never => {
  throw new Error('The message of a trial has no files.');
};

/** Starts an agent until it could take a prompt, gives it one if it asks a relay, and ends it. */
export async function tryStart(driver: AgentDriver, spec: AgentSpec, firstRequest: FirstRequest): Promise<StartTrial> {
  const startedAt = performance.now();
  const outcome = await driver.start(spec, deaf);
  if (outcome.status === 'failed') return outcome;
  const { agent } = outcome;
  const { declared, programVersion, resumeReference } = agent;
  const tookMs = Math.round(performance.now() - startedAt);
  const request = firstRequest === undefined ? undefined : await tryRequest(agent, firstRequest);
  await agent.stop({ graceMs: STOP_GRACE_MS });
  return { status: 'started', tookMs, declared, programVersion, isNamed: resumeReference !== undefined, request };
}

/** How the turn ends is of no account. */
async function tryRequest(agent: RunningAgent, firstRequest: NonNullable<FirstRequest>): Promise<RequestTrial> {
  const asked = firstRequest.await();
  const turn = agent.deliver({
    ...{ deliveryId: idFromUuid('delivery', randomUUID()), parts: [{ type: 'text', text: 'Say: ok.' }] },
    contents: { embedded: nothing, text: nothing },
    ...{ onWriting: async () => {}, onWritten: async () => {} },
  });
  turn.catch(() => {});
  return asked;
}
