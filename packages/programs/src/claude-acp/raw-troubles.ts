import { recordOf, stringOf } from '@attache/agent-process/messages/json-values';
import type { Troubles } from '../acp/troubles.ts';

/** The notification in which claude-agent-acp passes on Claude Code's messages, if it is asked to. Its own updates leave refusals out. */
export const RAW_MESSAGE = '_claude/sdkMessage';

/** The messages to pass on: whole answers, of which one may report a refusal, and the ends of turns. */
export const rawMessages = [{ type: 'assistant' }, { type: 'result' }] as const;

/** Reads the refusal that a message of Claude Code reports. */
export function readRawTroubles(params: unknown): Partial<Troubles> {
  const message = recordOf(recordOf(params).message);
  const error = stringOf(message.error);
  return {
    removedMedia: message.api_error === 'media_removed',
    ...(message.is_error === true ? { status: Number(message.api_error_status ?? 0) } : {}),
    ...(error === undefined ? {} : { error }),
  };
}
