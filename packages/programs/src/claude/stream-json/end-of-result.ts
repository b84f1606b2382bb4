import { codeOfStatus } from '@attache/agent-process/messages/code-of-status';
import { type JsonRecord, recordOf, stringOf } from '@attache/agent-process/messages/json-values';
import type { TurnEnd } from '@attache/agent-process/protocol';
import type { DeliveryId, Usage } from '@attache/contracts';
import type { Troubles } from './fold-messages.ts';

type Turn = {
  deliveryId: DeliveryId;
  hasAttachments: boolean;
} & Troubles;

/** The end of a turn, from its `result`. The subtype stays `success` if the provider refused. */
export function endOfResult(message: JsonRecord, turn: Turn): TurnEnd {
  const subtype = stringOf(message.subtype) ?? 'unknown';
  const proof = `result ${subtype} of session ${stringOf(message.session_id) ?? '?'} after ${turn.deliveryId}`;
  if (subtype !== 'success') {
    const stopReason = subtype === 'error_during_execution' ? 'cancelled' : subtype;
    return { status: 'ended', stopReason, proof };
  }
  if (message.is_error === true) {
    const status = Number(message.api_error_status ?? 0);
    const text = `status ${status}: ${stringOf(message.result) ?? ''}`;
    return { status: 'failed', code: codeOfStatus({ ...turn, status }), text, safeDetails: { agentCode: status } };
  }
  const stopReason = stringOf(message.stop_reason) ?? 'end_turn';
  return { status: 'ended', stopReason, proof, usage: usageOfResult(message), removedMedia: turn.removedMedia };
}

/** Counts of a turn, where the program gives them. */
export function usageOfResult(message: JsonRecord): Usage | undefined {
  const { input_tokens: input, output_tokens: output } = recordOf(message.usage);
  const counts = Object.entries({ inputTokens: input, outputTokens: output }).filter(([, count]) =>
    Number.isSafeInteger(count),
  );
  return counts.length === 0 ? undefined : Object.fromEntries(counts);
}
