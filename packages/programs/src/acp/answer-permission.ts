import type { PermissionOptionKind, RequestPermissionResponse } from '@agentclientprotocol/sdk';
import type { DriverHooks, ToolDecision } from '@attache/agent-process';
import { type JsonRecord, recordOf, recordsOf, stringOf } from '@attache/agent-process/messages/json-values';
import type { ToldOfCall } from './acp-traits.ts';

export type AskingProgram = {
  /** The arguments of a call from an earlier update: some programs leave them out of the request. */
  knownInput(callId: string): unknown;
  isAboutAttache(toolCall: JsonRecord, told: ToldOfCall): boolean;
};

const CANCELLED: RequestPermissionResponse = { outcome: { outcome: 'cancelled' } };

/**
 * Asks the gateway about a `session/request_permission` and picks the option for this one call. Fails closed: a hook that throws
 * and a request without a fitting option are denials. `interrupted` resolves when the turn is being cancelled.
 */
export async function answerPermission(
  params: unknown,
  hooks: DriverHooks,
  interrupted: Promise<unknown>,
  program: AskingProgram,
): Promise<RequestPermissionResponse> {
  const { toolCall, options, _meta } = recordOf(params);
  const decision = await Promise.race([
    decide(recordOf(toolCall), recordOf(_meta), hooks, program),
    interrupted.then(() => undefined),
  ]);
  if (decision === undefined) return CANCELLED;
  const wanted: PermissionOptionKind[] =
    decision.decision === 'allow' ? ['allow_once'] : ['reject_once', 'reject_always'];
  for (const kind of wanted) {
    const option = recordsOf(options).find((each) => each.kind === kind);
    const optionId = stringOf(option?.optionId);
    if (optionId !== undefined) return { outcome: { outcome: 'selected', optionId } };
  }
  return CANCELLED;
}

async function decide(
  toolCall: JsonRecord,
  meta: JsonRecord,
  hooks: DriverHooks,
  program: AskingProgram,
): Promise<ToolDecision> {
  const callId = stringOf(toolCall.toolCallId) ?? '';
  const title = stringOf(toolCall.title) ?? '';
  const tool = stringOf(toolCall.name) ?? stringOf(toolCall.kind) ?? 'other';
  const earlier = program.knownInput(callId);
  try {
    return await hooks.onToolCall({
      callId,
      tool,
      title,
      input: inputOf(toolCall, earlier),
      isAttache: program.isAboutAttache(toolCall, { meta, earlier: recordOf(earlier) }),
    });
  } catch {
    return { decision: 'deny', reason: 'the gate did not answer' };
  }
}

/** All that a request says about its call: a title may hold what the arguments do not. */
function inputOf({ rawInput, title, content, locations }: JsonRecord, earlier: unknown): JsonRecord {
  const told = Object.entries({ rawInput, title, content, locations, earlier });
  return Object.fromEntries(told.filter(([, value]) => value !== undefined));
}
