import type { Failure } from '@attache/contracts';
import { explainEnd, type RequestEnd } from '@attache/domain';
import type { AgentQuarantine } from './agent-quarantine.ts';

/** The parts that were left out of the program's requests when a turn began: to be compared when the turn has failed. */
export type BeforeTurn = { readonly leftOut: ReadonlySet<string> };

export const lookBeforeTurn = (quarantine: Pick<AgentQuarantine, 'listRefused'> | undefined): BeforeTurn => ({
  leftOut: quarantine?.listRefused() ?? new Set(),
});

/** Facts of a failed turn: the digests of the bytes that its message brought, and how its last request ended. */
export type FailedTurn = {
  readonly quarantine: Pick<AgentQuarantine, 'listRefused' | 'mustBeginAnew'> | undefined;
  readonly before: BeforeTurn;
  readonly sent: ReadonlySet<string>;
  readonly lastEnd: RequestEnd | undefined;
};

/** The failure of a turn, with what the relay knows of it better than the program. */
export function explainRefusal(failure: Failure, { quarantine, before, sent, lastEnd }: FailedTurn): Failure {
  if (quarantine?.mustBeginAnew()) return { ...failure, ...tooLarge };
  const refused = [...(quarantine?.listRefused() ?? [])].filter((sha256) => !before.leftOut.has(sha256));
  if (refused.length === 0) return explainEnd(failure, lastEnd, sent.size > 0);
  return refused.some((sha256) => sent.has(sha256))
    ? { ...failure, userMessage: LEFT_OUT }
    : { ...failure, ...earlierLeftOut };
}

const LEFT_OUT =
  'The model refused a file of the conversation. The file is left out of what follows: send the message again without it.';

/** The message itself has nothing that was refused. */
const earlierLeftOut = {
  code: 'attachment_earlier_rejected',
  userMessage:
    'The model refused a file of an earlier message. The file is left out of what follows: retry this message.',
  retryable: true,
} as const satisfies Partial<Failure>;

/** No file is at fault: the agent begins a conversation of its own, and the message may fit into that. */
const tooLarge = {
  code: 'attachment_serialized_payload_too_large',
  userMessage:
    'The conversation with this message is larger than what the model takes. The agent has begun a new one: retry the message, or send less with it.',
  retryable: true,
} as const satisfies Partial<Failure>;
