import type { DeliverRequest } from '@attache/agent-process';
import type { AgentFailureCode } from '@attache/agent-process/agent-failure';
import type { Answer } from '@attache/agent-process/json-rpc/exchange';
import { hasFiles } from '@attache/agent-process/messages/has-files';
import { type JsonRecord, recordOf, stringOf } from '@attache/agent-process/messages/json-values';
import { isRefusedRequest } from '@attache/agent-process/messages/refused-request';
import type { TurnEnd } from '@attache/agent-process/protocol';
import type { Usage } from '@attache/contracts';

const codesOfError: Readonly<Record<string, AgentFailureCode>> = {
  unauthorized: 'delivery_agent_auth_required',
  usageLimitExceeded: 'attachment_provider_quota_exceeded',
  rateLimitExceeded: 'attachment_provider_quota_exceeded',
  badRequest: 'attachment_provider_rejected',
  contextWindowExceeded: 'attachment_provider_rejected',
};

const codesOfStatus: Readonly<Record<number, AgentFailureCode>> = {
  400: 'attachment_provider_rejected',
  401: 'delivery_agent_auth_required',
  403: 'delivery_agent_auth_required',
  413: 'attachment_provider_rejected',
  422: 'attachment_provider_rejected',
  429: 'attachment_provider_quota_exceeded',
};

/** The end of a turn, from its `turn/completed`. */
export function endOfTurn(turn: JsonRecord, request: DeliverRequest, usage: Usage | undefined): TurnEnd {
  const status = stringOf(turn.status) ?? 'unknown';
  const proof = `turn/completed ${stringOf(turn.id) ?? '?'} ${status} with ${request.deliveryId}`;
  if (status === 'completed') return { status: 'ended', stopReason: 'end_turn', proof, usage };
  if (status === 'interrupted') return { status: 'ended', stopReason: 'cancelled', proof, usage };
  const error = recordOf(turn.error);
  const text = [error.message, error.additionalDetails].filter((each) => typeof each === 'string').join('\n');
  return { status: 'failed', code: codeOf(error.codexErrorInfo, text, request), text };
}

/** A request that Codex did not take: the turn was not begun, or not entered. */
export function endOfRefusal(answer: Answer): TurnEnd {
  const { code, message } = answer.status === 'error' ? answer : { code: 0, message: 'no turn runs' };
  return {
    status: 'failed',
    code: 'delivery_protocol_error',
    text: `error ${code}: ${message}`,
    safeDetails: { agentCode: code },
  };
}

function codeOf(info: unknown, text: string, { parts }: DeliverRequest): AgentFailureCode {
  const [variant] = Object.values(recordOf(info));
  const status = isRefusedRequest(text) ? 400 : Number(recordOf(variant).httpStatusCode ?? 0);
  const code = typeof info === 'string' ? (codesOfError[info] ?? codesOfStatus[status]) : codesOfStatus[status];
  const hasAttachments = hasFiles(parts);
  if (code === undefined || (code === 'attachment_provider_rejected' && !hasAttachments))
    return 'delivery_runtime_transport_failed';
  return code;
}
