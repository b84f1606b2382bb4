import type { AgentFailureCode } from '../agent-failure.ts';

type Refusal = { status: number; error: string | undefined; hasAttachments: boolean };

/** Translates a provider's HTTP status, and the program's own name for the error if there is one. */
export function codeOfStatus({ status, error, hasAttachments }: Refusal): AgentFailureCode {
  if (status === 401 || status === 403 || error === 'authentication_failed' || error === 'oauth_org_not_allowed')
    return 'delivery_agent_auth_required';
  if (status === 429 || error === 'rate_limit' || error === 'billing_error')
    return 'attachment_provider_quota_exceeded';
  const isRefusal = status >= 400 && status < 500;
  return isRefusal && hasAttachments ? 'attachment_provider_rejected' : 'delivery_runtime_transport_failed';
}
