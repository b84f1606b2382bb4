import type { Failure } from '@attache/contracts';
import type { AgentQuarantine } from './agent-quarantine.ts';

/** How many parts were left out of the program's requests when a turn began: to be compared when the turn has failed. */
export type BeforeTurn = { leftOut: number };

export const lookBeforeTurn = (quarantine: Pick<AgentQuarantine, 'countRefused'> | undefined): BeforeTurn => ({
  leftOut: quarantine?.countRefused() ?? 0,
});

/** The failure of a turn, with what the relay knows of it better than the program. */
export function explainRefusal(
  failure: Failure,
  quarantine: Pick<AgentQuarantine, 'countRefused' | 'mustBeginAnew'> | undefined,
  { leftOut }: BeforeTurn,
): Failure {
  if (quarantine === undefined) return failure;
  if (quarantine.mustBeginAnew()) return { ...failure, ...tooLarge };
  return quarantine.countRefused() > leftOut ? { ...failure, userMessage: LEFT_OUT } : failure;
}

const LEFT_OUT =
  'The model refused a file of the conversation. The file is left out of what follows: send the message again without it.';

/** No file is at fault: the agent begins a conversation of its own, and the message may fit into that. */
const tooLarge = {
  code: 'attachment_serialized_payload_too_large',
  userMessage:
    'The conversation with this message is larger than what the model takes. The agent has begun a new one: retry the message, or send less with it.',
  retryable: true,
} as const satisfies Partial<Failure>;
