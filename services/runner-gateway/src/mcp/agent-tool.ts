import type { KindCapability } from '@attache/contracts';
import type { OwningDeps } from '../gateway-deps.ts';
import type { SocketOwner } from '../granted/socket-owner.ts';
import type { Refusal, ToolAnswer } from './tool-answer.ts';
import type { ToolInput } from './tool-inputs.ts';

/** What a target can be shown in a tool's answer: of images what it takes, nothing without it. Text goes to all. */
export type ViewForms = { image: KindCapability | undefined };

/** For whom a tool works. */
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
  /** Of use only beside tools of the agent's own program. */
  needsOwnTools?: boolean;
  run(scope: ToolScope, input: unknown): Promise<ToolAnswer | Refusal>;
};
