import type { PermissionOptionKind, RequestPermissionResponse } from '@agentclientprotocol/sdk';
import type { DriverHooks, ToolDecision } from '@attache/agent-process';
import { type JsonRecord, recordOf, recordsOf, stringOf } from '@attache/agent-process/messages/json-values';
import type { ToldOfCall } from './acp-traits.ts';
import { formOf, type KnownCall, tellsArguments } from './known-calls.ts';

export type AskingProgram = {
  /** Everything that earlier updates told of a call: some programs leave arguments out of the request, or shorten them. */
  findCall(callId: string): KnownCall;
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
  const { forms, rawInput, isIncomplete } = program.findCall(callId);
  const asked = formOf(toolCall);
  try {
    return await hooks.onToolCall({
      callId,
      tool,
      title,
      // A title may hold what the arguments do not, and an update before this request what the request leaves out.
      input: forms.length === 0 ? asked : { ...asked, earlier: forms },
      isUnseen: isIncomplete || !tellsArguments([asked, ...forms]),
      isAttache: program.isAboutAttache(toolCall, { meta, earlier: recordOf(rawInput) }),
    });
  } catch {
    return { decision: 'deny', reason: 'the gate did not answer' };
  }
}
