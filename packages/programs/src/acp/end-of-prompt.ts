import type { AgentFailureCode } from '@attache/agent-process/agent-failure';
import type { Answer } from '@attache/agent-process/json-rpc/exchange';
import { codeOfStatus } from '@attache/agent-process/messages/code-of-status';
import { hasFiles } from '@attache/agent-process/messages/has-files';
import { recordOf, stringOf } from '@attache/agent-process/messages/json-values';
import type { TurnEnd } from '@attache/agent-process/protocol';
import type { DeliveryId, Part } from '@attache/contracts';
import { codeOfFailure, sessionFailureOf } from './session-failure.ts';
import type { Troubles } from './troubles.ts';
import { usageOfAnswer } from './usage-of-answer.ts';

export const AUTH_REQUIRED = -32000;
// JSON-RPC's own errors about a request that the other side cannot use.
const BAD_REQUESTS = [-32700, -32600, -32601, -32602];
// Some agents pass on their provider's HTTP status as the code.
const PROVIDER_UNAUTHORIZED = [401, 403];
const PROVIDER_QUOTA = 429;
const PROVIDER_FAULT = 500;
/** OpenCode gives every refusal of its provider this name, and no status: it may have been about the key as well as about a picture. */
const ANY_REFUSAL = 'APIError';
const REJECTED: AgentFailureCode = 'attachment_provider_rejected';

type Prompt = { deliveryId: DeliveryId; parts: readonly Part[]; troubles: Troubles };

/** The end of a turn, from the response to its `session/prompt`. */
export function endOfPrompt(answer: Answer, { deliveryId, parts, troubles }: Prompt): TurnEnd {
  if (answer.status === 'closed') return answer;
  const hasAttachments = hasFiles(parts);
  if (answer.status === 'error') return endOfError(answer, { hasAttachments, troubles });
  const failure = sessionFailureOf(answer.result);
  if (failure !== undefined) {
    const codeWith = (files: boolean) => codeOfTroubles(troubles, files) ?? codeOfFailure(failure, files);
    const mayBeRefused = codeWith(true) === REJECTED;
    return {
      status: 'failed',
      code: codeWith(hasAttachments),
      text: `${failure.category}: ${failure.title}`,
      mayBeRefused,
    };
  }
  const stopReason = stringOf(recordOf(answer.result).stopReason) ?? 'unknown';
  const proof = `session/prompt ${deliveryId} answered ${stopReason.slice(0, 64)}`;
  const { removedMedia } = troubles;
  return { status: 'ended', stopReason, proof, usage: usageOfAnswer(answer.result), removedMedia };
}

function endOfError(
  { code, message, data }: Extract<Answer, { status: 'error' }>,
  { hasAttachments, troubles }: { hasAttachments: boolean; troubles: Troubles },
): TurnEnd {
  const detail = data === undefined ? '' : ` ${JSON.stringify(data)}`;
  const kind = stringOf(recordOf(data).errorKind) ?? stringOf(recordOf(data).errorName) ?? '';
  const codeWith = (files: boolean) => codeOfTroubles(troubles, files) ?? codesOfKind[kind] ?? codeOfError(code, files);
  return {
    status: 'failed',
    code: codeWith(hasAttachments),
    text: `error ${code}: ${message}${detail}`,
    mayBeRefused: codeWith(true) === REJECTED || (kind === ANY_REFUSAL && 'perhaps'),
    safeDetails: { agentCode: code },
  };
}

// The provider's own status says more than what a program makes of it.
function codeOfTroubles(troubles: Troubles, hasAttachments: boolean): AgentFailureCode | undefined {
  return troubles.status > 0 ? codeOfStatus({ ...troubles, hasAttachments }) : undefined;
}

/** The kinds that some agents give an error besides its code. */
const codesOfKind: Readonly<Record<string, AgentFailureCode>> = {
  authentication_failed: 'delivery_agent_auth_required',
  rate_limit: 'attachment_provider_quota_exceeded',
  billing_error: 'attachment_provider_quota_exceeded',
  overloaded: 'delivery_runtime_transport_failed',
  server_error: 'delivery_runtime_transport_failed',
  [ANY_REFUSAL]: 'delivery_runtime_transport_failed',
};

function codeOfError(code: number, hasAttachments: boolean): AgentFailureCode {
  if (code === AUTH_REQUIRED || PROVIDER_UNAUTHORIZED.includes(code)) return 'delivery_agent_auth_required';
  if (code === PROVIDER_QUOTA) return 'attachment_provider_quota_exceeded';
  if (code >= PROVIDER_FAULT) return 'delivery_runtime_transport_failed';
  if (BAD_REQUESTS.includes(code)) return 'delivery_protocol_error';
  return hasAttachments ? 'attachment_provider_rejected' : 'delivery_runtime_transport_failed';
}
