import type { AgentId, Failure, FailureCode } from '@attache/contracts';

type Meaning = { userMessage: string; retryable: boolean };

const meanings = {
  delivery_agent_start_failed: {
    userMessage:
      "The agent's program did not start. Check that the profile's command is installed and runs, then retry.",
    retryable: true,
  },
  delivery_sandbox_unavailable: {
    userMessage:
      'The agent runs in a sandbox, and none works on this machine. Read the diagnostic for what to do, then retry.',
    retryable: true,
  },
  delivery_agent_auth_required: {
    userMessage: 'The agent is not signed in. Give its profile a key or a signed-in home, then retry.',
    retryable: true,
  },
  delivery_agent_crashed: {
    userMessage: "The agent's program ended before it answered. Read the diagnostic, then retry.",
    retryable: true,
  },
  delivery_protocol_error: {
    userMessage: "The agent's program broke its protocol and was stopped. Check its version, then retry.",
    retryable: true,
  },
  delivery_turn_timeout: {
    userMessage: 'The agent did not end its turn in time. Retry, or raise the turn time of its profile.',
    retryable: true,
  },
  delivery_stalled: {
    userMessage: "The agent's program stopped reading and was stopped. Retry the delivery.",
    retryable: true,
  },
  delivery_cancelled: { userMessage: 'The delivery was cancelled. Retry it to send it again.', retryable: true },
  delivery_runtime_transport_failed: {
    userMessage: 'The agent could not be reached or answered with an error. Read the diagnostic, then retry.',
    retryable: true,
  },
  attachment_serialized_payload_too_large: {
    userMessage: "The attachments do not fit into one line of the agent's protocol. Send fewer or smaller files.",
    retryable: false,
  },
  attachment_artifact_missing: {
    userMessage: "An attachment's file was not in the agent's folder when it was to be sent. Retry the delivery.",
    retryable: true,
  },
  attachment_provider_rejected: {
    userMessage: 'The agent refused the message with its attachments. Read the diagnostic; send it without them.',
    retryable: false,
  },
  attachment_provider_quota_exceeded: {
    userMessage:
      'The provider takes no more requests: its quota or a rate limit is used up. Wait, or raise it, then retry.',
    retryable: true,
  },
  attachment_earlier_rejected: {
    userMessage:
      "The agent's conversation holds a file of an earlier turn that its provider refuses and that it sends again with every turn. Read the diagnostic; continue with another agent or in a new session, without that file.",
    retryable: false,
  },
} as const satisfies Partial<Record<FailureCode, Meaning>>;

export type AgentFailureCode = keyof typeof meanings;

export type AgentFailureRequest = {
  code: AgentFailureCode;
  agentId: AgentId;
  /** Already redacted. */
  diagnostic: string;
  /** An earlier file is why, and will be sent again with every further turn. `perhaps`: or the provider was away. */
  isSpoiled?: boolean | 'perhaps' | undefined;
  safeDetails?: Record<string, string | number | boolean>;
};

const perhapsSpoiled: Meaning = {
  userMessage:
    "The agent's provider was away, or it refuses a file of an earlier turn that the agent sends again with every turn. Read the diagnostic, then retry; if it fails again, continue with another agent or in a new session, without that file.",
  retryable: true,
};

/** The failure of an agent's start or turn, with what to do about it. */
export function agentFailure({
  code: said,
  agentId,
  diagnostic,
  isSpoiled,
  safeDetails,
}: AgentFailureRequest): Failure {
  const code = isSpoiled ? 'attachment_earlier_rejected' : said;
  const { userMessage, retryable } = isSpoiled === 'perhaps' ? perhapsSpoiled : meanings[code];
  return {
    code,
    severity: 'error',
    agentId,
    userMessage,
    diagnostic,
    retryable,
    ...(safeDetails === undefined ? {} : { safeDetails }),
  };
}
