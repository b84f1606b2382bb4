import type { DriverHooks, ToolCall, ToolDecision } from '@attache/agent-process';
import { type JsonRecord, recordOf, stringOf } from '@attache/agent-process/messages/json-values';
import type { TurnKeeper } from '@attache/agent-process/turns/turn-state';
import type { ItemFold } from './fold-items.ts';

type AskedCall = ToolCall;
type Approver = {
  hooks: DriverHooks;
  fold: Pick<ItemFold, 'findItem'>;
  turns: TurnKeeper;
  /** Says to the model why a call was declined: the answer itself has no room for it. */
  explain(reason: string): void;
};

/** Responds to what Codex asks of its host about tool calls; undefined for what is not offered. Fails closed. */
export function answerApproval(method: string, params: JsonRecord, approver: Approver): Promise<unknown> | undefined {
  switch (method) {
    case 'item/commandExecution/requestApproval':
      return decideOn(commandOf(params), approver).then(({ decision }) => ({
        decision: decision === 'allow' ? 'accept' : 'decline',
      }));
    case 'item/fileChange/requestApproval':
      return decideOn(changeOf(params, approver.fold), approver).then(({ decision }) => ({
        decision: decision === 'allow' ? 'accept' : 'decline',
      }));
    case 'mcpServer/elicitation/request':
      return answerElicitation(params, approver);
    default:
      return undefined;
  }
}

function commandOf(params: JsonRecord): AskedCall {
  const { itemId, command, cwd, reason, commandActions } = params;
  const title = stringOf(command) ?? stringOf(reason) ?? 'a command';
  return { callId: stringOf(itemId) ?? '', tool: 'shell', title, input: { command, cwd, reason, commandActions } };
}

/** The changes are in the item that was reported before. A request about an unknown item has nothing to be judged by. */
function changeOf({ itemId, reason, grantRoot }: JsonRecord, fold: Approver['fold']): AskedCall | undefined {
  const item = fold.findItem(stringOf(itemId) ?? '');
  if (item === undefined) return undefined;
  const input = { changes: item.changes, reason, grantRoot };
  return { callId: stringOf(itemId) ?? '', tool: 'apply_patch', title: 'apply_patch', input };
}

/** An approval of a tool of an MCP server comes as a form without fields; every other form is declined. */
async function answerElicitation(params: JsonRecord, approver: Approver): Promise<unknown> {
  const meta = recordOf(params._meta);
  const isApproval = meta.codex_approval_kind === 'mcp_tool_call';
  const { serverName, message } = params;
  const tool = `${stringOf(serverName) ?? ''}.${stringOf(meta.tool_name) ?? stringOf(meta.tool) ?? 'tool'}`;
  const call = {
    callId: stringOf(meta.call_id) ?? '',
    tool,
    title: stringOf(message) ?? tool,
    input: { meta, message },
    isAttache: serverName === 'attache',
  };
  const { decision } = isApproval ? await decideOn(call, approver) : { decision: 'deny' };
  return { action: decision === 'allow' ? 'accept' : 'decline', content: null, _meta: null };
}

async function decideOn(call: AskedCall | undefined, { hooks, turns, explain }: Approver): Promise<ToolDecision> {
  const denied: ToolDecision = { decision: 'deny', reason: 'the gate did not answer' };
  if (call === undefined) return denied;
  try {
    const decision = await Promise.race([hooks.onToolCall(call), turns.interrupted().then(() => denied)]);
    if (decision.decision === 'deny' && decision !== denied) explain(`${call.tool} was not run: ${decision.reason}`);
    return decision;
  } catch {
    return denied;
  }
}
