import type { TurnUsage, Usage } from '@attache/contracts';
import type { TurnUse } from '../output/output-sink.ts';

/** What a receipt says of a turn's use: the tokens in the runtime's words, else as its provider counted; the rest as the relay saw it. */
export function composeUsage(told: Usage | undefined, seen: TurnUse | undefined): TurnUsage | undefined {
  if (seen === undefined) return told;
  const { requests, resentBytes, counted } = seen;
  if (counted === undefined) return { ...told, requests, resentBytes };
  const { inputTokens, cachedInputTokens, outputTokens } = counted;
  return { inputTokens, outputTokens, ...told, cachedInputTokens, requests, resentBytes };
}
