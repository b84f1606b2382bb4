import { type AttachmentId, isId } from '@attache/contracts';

export type ToolCallDecision = { decision: 'allow' } | { decision: 'deny'; reason: string };

/** The reply to every denied call, whatever was wrong: the agent must not learn whether an id that it may not use exists. */
export const TOOL_CALL_DENIED =
  'This call names an attachment that you may not use. Copy attachment ids letter for letter from their [attachment id=…] marker.';

/** The ids to be looked up for a call's candidates; undefined where one of them is no id at all, so that the call is denied without asking. */
export function idsToLookUp(candidates: readonly string[]): AttachmentId[] | undefined {
  const ids = candidates.filter((candidate) => isId('attachment', candidate));
  return ids.length === candidates.length ? ids : undefined;
}

/** Whether a tool call may run (AT-31): only if everything in it that is spelled like an attachment id is, letter for letter, a permitted one. */
export function decideToolCall({
  candidates,
  permitted,
}: {
  candidates: readonly string[];
  permitted: ReadonlySet<string>;
}): ToolCallDecision {
  const isAllowed = candidates.every((candidate) => permitted.has(candidate));
  return isAllowed ? { decision: 'allow' } : { decision: 'deny', reason: TOOL_CALL_DENIED };
}
