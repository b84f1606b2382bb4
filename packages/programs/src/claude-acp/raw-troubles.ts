import { recordOf, stringOf } from '@attache/agent-process/messages/json-values';
import type { Troubles } from '../acp/troubles.ts';

/** The notification by which claude-agent-acp passes on what Claude Code says, where it is asked to. Its own updates leave refusals out. */
export const RAW_MESSAGE = '_claude/sdkMessage';

/** What is to be passed on: whole answers, of which one may be about a refusal, and the ends of turns. */
export const rawMessages = [{ type: 'assistant' }, { type: 'result' }] as const;

/** What a message of Claude Code says of a refusal. */
export function readRawTroubles(params: unknown): Partial<Troubles> {
  const message = recordOf(recordOf(params).message);
  const error = stringOf(message.error);
  return {
    removedMedia: message.api_error === 'media_removed',
    ...(message.is_error === true ? { status: Number(message.api_error_status ?? 0) } : {}),
    ...(error === undefined ? {} : { error }),
  };
}
