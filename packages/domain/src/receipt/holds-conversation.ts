import { isAccepted, type WireRequest } from './wire-facts.ts';

/** Texts of two messages to a program, as their digests on the wire: of the present one, and of the last one before it that was answered. */
export type SaidTexts = { present: readonly string[]; former: readonly string[] };

/**
 * Whether a program that was asked to continue a conversation did so: then its first request to the model holds a word of the model's own and, where the program
 * sends texts as they were given to it, the last message. Undefined where no request was read.
 */
export function holdsConversation(
  requests: readonly WireRequest[],
  { present, former }: SaidTexts = { present: [], former: [] },
): boolean | undefined {
  const blocks = requests.find((request) => request.blocks !== undefined && isAccepted(request))?.blocks;
  if (blocks === undefined) return undefined;
  if (!blocks.some(({ place }) => place === 'assistant')) return false;
  const said = new Set(blocks.map((block) => (block.kind === 'text' ? block.whole?.sha256 : undefined)));
  const sendsAsGiven = present.length > 0 && present.every((sha256) => said.has(sha256));
  return !sendsAsGiven || former.length === 0 || former.some((sha256) => said.has(sha256));
}
