import type { DriverHooks, ToolDecision } from '@attache/agent-process';
import { type JsonRecord, recordOf, stringOf } from '@attache/agent-process/messages/json-values';

type AskedCall = { callId: string; tool: string; input: unknown };

/**
 * Responds to the two ways in which Claude Code asks its host about a tool call: the PreToolUse callback comes for every call,
 * `can_use_tool` for those that its permission mode would not let pass. Fails closed.
 */
export async function answerToolCall(
  request: JsonRecord,
  hooks: DriverHooks,
  interrupted: Promise<unknown>,
): Promise<object> {
  const { subtype } = request;
  if (subtype === 'hook_callback') {
    const { tool_name: tool, tool_input: input, tool_use_id: callId } = recordOf(request.input);
    const id = stringOf(request.tool_use_id) ?? stringOf(callId) ?? '';
    return describeHookDecision(await decide({ callId: id, tool: stringOf(tool) ?? '', input }, hooks, interrupted));
  }
  if (subtype === 'can_use_tool') {
    const { tool_name: tool, tool_use_id: callId, input } = request;
    const call = { callId: stringOf(callId) ?? '', tool: stringOf(tool) ?? '', input };
    const decision = await decide(call, hooks, interrupted);
    if (decision.decision === 'deny') return { behavior: 'deny', message: decision.reason };
    return { behavior: 'allow', updatedInput: recordOf(input) };
  }
  throw new Error('the host offers nothing of this kind');
}

function describeHookDecision(decision: ToolDecision): object {
  const reason = decision.decision === 'deny' ? { permissionDecisionReason: decision.reason } : {};
  return {
    hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: decision.decision, ...reason },
  };
}

async function decide(call: AskedCall, hooks: DriverHooks, interrupted: Promise<unknown>): Promise<ToolDecision> {
  try {
    const isAttache = call.tool.startsWith('mcp__attache__');
    const asked = hooks.onToolCall({ ...call, title: call.tool, isAttache });
    const denied: ToolDecision = { decision: 'deny', reason: 'the turn was interrupted' };
    return await Promise.race([asked, interrupted.then(() => denied)]);
  } catch {
    return { decision: 'deny', reason: 'the gate did not answer' };
  }
}
