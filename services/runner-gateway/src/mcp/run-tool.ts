import { BlobNotFoundError } from '@attache/blob-store';
import { Fault, idFromUuid } from '@attache/contracts';
import { TOOL_CALL_DENIED } from '@attache/domain';
import { markFailed, withSpan } from '@attache/telemetry';
import { describeAgentError } from '../granted/protocol-error.ts';
import type { AgentTool, ToolScope } from './agent-tool.ts';
import { answerRefusal, type Refusal, type ToolAnswer } from './tool-answer.ts';
import { describeIssues } from './tool-inputs.ts';

/**
 * A call as it came. `traceparent` is what the agent was given with its prompt. One that `isTooDeep` is asked for, so that it is recorded as
 * others are, and never runs.
 */
export type IncomingCall = { callId: string; input: unknown; traceparent: string | undefined; isTooDeep?: boolean };

/** Runs a tool for an agent: the call is asked for, its arguments are checked, and whatever goes wrong is an answer. */
export async function runTool(tool: AgentTool, scope: ToolScope, call: IncomingCall): Promise<ToolAnswer> {
  const { traceparent } = call;
  const parent = traceparent === undefined ? 'active' : { traceparent };
  const agentId = idFromUuid('agent', scope.owner.agentId);
  const attributes = { 'gen_ai.tool.name': tool.name, 'gen_ai.agent.id': agentId };
  return withSpan({ name: `tools/call ${tool.name}`, parent, attributes }, async (span) => {
    const outcome = await attempt(tool, scope, call);
    if ('content' in outcome) return outcome;
    markFailed(span, outcome);
    return answerRefusal(outcome);
  });
}

async function attempt(tool: AgentTool, scope: ToolScope, call: IncomingCall): Promise<ToolAnswer | Refusal> {
  const denial = await findDenial(tool, scope, call);
  if (denial) return denial;
  if (call.isTooDeep) return { code: 'FORBIDDEN', message: TOOL_CALL_DENIED, retryable: false };
  const checked = tool.input.safeParse(call.input ?? {});
  if (!checked.success)
    return { code: 'INVALID_REQUEST', message: `${describeIssues(checked.error)}. Correct it.`, retryable: false };
  try {
    return await tool.run(scope, checked.data);
  } catch (error) {
    return describeThrown(scope, error);
  }
}

async function findDenial(tool: AgentTool, scope: ToolScope, call: IncomingCall): Promise<Refusal | undefined> {
  const { checkCall } = scope.owner;
  if (!checkCall) return undefined;
  const decision = await checkCall({ callId: call.callId, tool: tool.name, input: call.input }).catch((error) => {
    scope.deps.log.error({ err: error }, 'agent_tool.check_failed');
    return { decision: 'deny', reason: 'The call could not be checked. Try again.' } as const;
  });
  return decision.decision === 'deny' ? { code: 'FORBIDDEN', message: decision.reason, retryable: false } : undefined;
}

function describeThrown({ deps, signal }: ToolScope, error: unknown): Refusal {
  if (error instanceof BlobNotFoundError)
    return { code: 'attachment_missing', message: 'The bytes of this file are gone from the store.', retryable: false };
  if (!(error instanceof Fault) && !signal.aborted) deps.log.error({ err: error }, 'agent_tool.failed');
  const { code, message, retryable } = describeAgentError(error);
  return { code, message, retryable };
}
