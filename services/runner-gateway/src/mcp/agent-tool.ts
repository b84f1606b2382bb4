import type { KindCapability } from '@attache/contracts';
import type { OwningDeps } from '../gateway-deps.ts';
import type { SocketOwner } from '../granted/socket-owner.ts';
import type { Refusal, ToolAnswer } from './tool-answer.ts';
import type { ToolInput } from './tool-inputs.ts';

/** The forms that a target can be shown in a tool's answer: images only if it takes them, text always. */
export type ViewForms = { image: KindCapability | undefined };

/** The agent that a tool works for. */
export type ToolScope = {
  deps: OwningDeps;
  owner: SocketOwner;
  /** Aborted when nobody waits for the answer any more. */
  signal: AbortSignal;
};

/** A tool as models see it; `run` gets what its schema let through. */
export type AgentTool = {
  name: string;
  title: string;
  description: string;
  input: ToolInput;
  isReadOnly: boolean;
  /** True if it is useful only next to tools of the agent's own program. */
  needsOwnTools?: boolean;
  run(scope: ToolScope, input: unknown): Promise<ToolAnswer | Refusal>;
};
