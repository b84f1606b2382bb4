import type { DeliveryId, Part } from '@attache/contracts';
import type { AgentFailureCode } from '../agent-failure.ts';
import type { Answer } from '../json-rpc/exchange.ts';
import { recordOf, stringOf } from '../messages/json-values.ts';
import type { TurnEnd } from '../protocol.ts';
import { usageOf } from './agent-session.ts';

export const AUTH_REQUIRED = -32000;
// JSON-RPC's own errors about a request that the other side cannot use.
const BAD_REQUESTS = [-32700, -32600, -32601, -32602];
// Some agents pass on their provider's HTTP status as the code.
const PROVIDER_UNAUTHORIZED = [401, 403];
const PROVIDER_QUOTA = 429;

/** What the answer to a `session/prompt` says of its turn. */
export function endOfPrompt(answer: Answer, deliveryId: DeliveryId, parts: readonly Part[]): TurnEnd {
  if (answer.status === 'closed') return answer;
  if (answer.status === 'error') {
    const hasAttachments = parts.some((part) => part.type !== 'text');
    const { code, message, data } = answer;
    const detail = data === undefined ? '' : ` ${JSON.stringify(data)}`;
    return {
      status: 'failed',
      code: codeOfError(code, hasAttachments),
      text: `error ${code}: ${message}${detail}`,
      safeDetails: { agentCode: code },
    };
  }
  const stopReason = stringOf(recordOf(answer.result).stopReason) ?? 'unknown';
  const proof = `session/prompt ${deliveryId} answered ${stopReason.slice(0, 64)}`;
  return { status: 'ended', stopReason, proof, usage: usageOf(answer.result) };
}

function codeOfError(code: number, hasAttachments: boolean): AgentFailureCode {
  if (code === AUTH_REQUIRED || PROVIDER_UNAUTHORIZED.includes(code)) return 'delivery_agent_auth_required';
  if (code === PROVIDER_QUOTA) return 'attachment_provider_quota_exceeded';
  if (BAD_REQUESTS.includes(code)) return 'delivery_protocol_error';
  return hasAttachments ? 'attachment_provider_rejected' : 'delivery_runtime_transport_failed';
}
