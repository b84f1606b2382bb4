import type { AgentFailureCode } from '@attache/agent-process/agent-failure';
import { codeOfStatus } from '@attache/agent-process/messages/code-of-status';
import { recordOf, stringOf } from '@attache/agent-process/messages/json-values';
import { isRefusedRequest } from '@attache/agent-process/messages/refused-request';

// An extension that some agents offer, by the editor for which it was made. Without it they answer a turn that their provider refused
// like one that went well (seen with codex-acp 2.6.0).

/** Sent at `initialize` to get failures by category. */
export const typedFailures = { jetbrains: { air: { version: 1, capabilities: ['sessionFailure'] } } } as const;

export type SessionFailure = { category: string; title: string; asksForSignIn: boolean };

/** The failure of a turn in the `_meta` of its answer; undefined where it has none, or only warns. */
export function sessionFailureOf(answer: unknown): SessionFailure | undefined {
  const { jetbrains } = recordOf(recordOf(answer)._meta);
  const { severity, category, title, actions } = recordOf(recordOf(recordOf(jetbrains).air).sessionFailure);
  if (severity !== 'error') return undefined;
  const asksForSignIn = Array.isArray(actions) && actions.includes('login');
  return { category: stringOf(category) ?? 'unknown', title: stringOf(title) ?? '', asksForSignIn };
}

/** Limits are the account's where waiting or paying helps, and the conversation's where only a new one does. */
export function codeOfFailure(failure: SessionFailure, hasAttachments: boolean): AgentFailureCode {
  const { category, title, asksForSignIn } = failure;
  if (asksForSignIn || category === 'access') return 'delivery_agent_auth_required';
  if (category === 'limit') return 'attachment_provider_quota_exceeded';
  // Codex's own text, whatever its provider reports (seen with codex-acp 2.6.0).
  const [, status] = /^unexpected status (4\d\d)\b/.exec(title) ?? [];
  if (status !== undefined) return codeOfStatus({ status: Number(status), error: undefined, hasAttachments });
  const isRefused = category === 'request' || isRefusedRequest(title);
  return isRefused && hasAttachments ? 'attachment_provider_rejected' : 'delivery_runtime_transport_failed';
}
