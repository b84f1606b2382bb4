import type { DeliveryId, Usage } from '@attache/contracts';
import type { AgentFailureCode } from '../agent-failure.ts';
import { type JsonRecord, recordOf, stringOf } from '../messages/json-values.ts';
import type { TurnEnd } from '../protocol.ts';
import type { Troubles } from './fold-messages.ts';

type Turn = {
  deliveryId: DeliveryId;
  hasAttachments: boolean;
} & Troubles;

/** What a `result` says of its turn. Its subtype stays `success` where the provider refused. */
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
    return { status: 'failed', code: codeOf(status, turn), text, safeDetails: { agentCode: status } };
  }
  const stopReason = stringOf(message.stop_reason) ?? 'end_turn';
  return { status: 'ended', stopReason, proof, usage: usageOfResult(message), removedMedia: turn.removedMedia };
}

function codeOf(status: number, { error, hasAttachments }: Turn): AgentFailureCode {
  if (status === 401 || status === 403 || error === 'authentication_failed' || error === 'oauth_org_not_allowed')
    return 'delivery_agent_auth_required';
  if (status === 429 || error === 'rate_limit' || error === 'billing_error')
    return 'attachment_provider_quota_exceeded';
  const isRefusal = status >= 400 && status < 500;
  return isRefusal && hasAttachments ? 'attachment_provider_rejected' : 'delivery_runtime_transport_failed';
}

/** Counts of a turn, where the program gives them. */
export function usageOfResult(message: JsonRecord): Usage | undefined {
  const { input_tokens: input, output_tokens: output } = recordOf(message.usage);
  const counts = Object.entries({ inputTokens: input, outputTokens: output }).filter(([, count]) =>
    Number.isSafeInteger(count),
  );
  return counts.length === 0 ? undefined : Object.fromEntries(counts);
}
