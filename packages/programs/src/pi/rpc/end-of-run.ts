import { codeOfStatus } from '@attache/agent-process/messages/code-of-status';
import { type JsonRecord, recordOf, stringOf } from '@attache/agent-process/messages/json-values';
import type { TurnEnd } from '@attache/agent-process/protocol';
import type { DeliveryId, Usage } from '@attache/contracts';

type Run = { deliveryId: DeliveryId; hasAttachments: boolean };

const stopReasons: Readonly<Record<string, string>> = { stop: 'end_turn', length: 'max_tokens', aborted: 'cancelled' };

/** The end of a run, from its last message. A run without one was stopped before its model was asked. */
export function endOfRun(last: JsonRecord | undefined, usage: Usage | undefined, run: Run): TurnEnd {
  const said = stringOf(last?.stopReason) ?? 'aborted';
  if (last !== undefined && said === 'error') return endOfError(stringOf(last.errorMessage) ?? '', run);
  const stopReason = stopReasons[said] ?? said;
  return { status: 'ended', stopReason, proof: `agent_settled after ${run.deliveryId} as ${stopReason}`, usage };
}

/** A prompt that was not taken: its program has no model that it may ask, or is at work. */
export function endOfRefusal(error: unknown, run: Run): TurnEnd {
  const text = stringOf(error) ?? 'the prompt was not taken';
  return { status: 'failed', code: codeOfStatus({ ...statusOf(text), hasAttachments: run.hasAttachments }), text };
}

function endOfError(text: string, run: Run): TurnEnd {
  const told = statusOf(text);
  const mayBeRefused = codeOfStatus({ ...told, hasAttachments: true }) === 'attachment_provider_rejected';
  return {
    status: 'failed',
    code: codeOfStatus({ ...told, hasAttachments: run.hasAttachments }),
    text,
    mayBeRefused,
    ...(told.status === 0 ? {} : { safeDetails: { agentCode: told.status } }),
  };
}

/** A provider's error begins with its status; a missing key is reported before any request (seen with 0.87.1). */
function statusOf(text: string): { status: number; error: string | undefined } {
  if (/^No API key /.test(text)) return { status: 401, error: undefined };
  return { status: Number(/^(\d{3})\b/.exec(text)?.[1] ?? 0), error: undefined };
}

/** Counts of a run: those of all its messages. */
export function addUsage(sum: Usage | undefined, message: JsonRecord): Usage | undefined {
  const { input, output } = recordOf(message.usage);
  if (!Number.isSafeInteger(input) || !Number.isSafeInteger(output)) return sum;
  return {
    inputTokens: (sum?.inputTokens ?? 0) + Number(input),
    outputTokens: (sum?.outputTokens ?? 0) + Number(output),
  };
}
