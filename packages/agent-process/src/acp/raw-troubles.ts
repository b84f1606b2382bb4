import { type JsonRecord, recordOf, stringOf } from '../messages/json-values.ts';

/** The notification by which claude-agent-acp passes on what Claude Code says, where it is asked to. Its own updates leave refusals out. */
export const RAW_MESSAGE = '_claude/sdkMessage';

/** What is to be passed on: whole answers, of which one may be about a refusal, and the ends of turns. */
export const rawMessages = [{ type: 'assistant' }, { type: 'result' }] as const;

export type Troubles = {
  /** A picture or document was taken out of the conversation, and the turn went on without it. */
  removedMedia: boolean;
  /** Of the provider's last refusal; 0 where none is known. */
  status: number;
  /** Claude Code's word for it. */
  error: string | undefined;
};

const none: Troubles = { removedMedia: false, status: 0, error: undefined };

export type RawTroubles = {
  note(params: unknown): void;
  /** What was said in the turn; forgotten then. */
  take(): Troubles;
};

export function createRawTroubles(): RawTroubles {
  let troubles = none;
  return {
    note(params) {
      const message: JsonRecord = recordOf(recordOf(params).message);
      troubles = {
        removedMedia: troubles.removedMedia || message.api_error === 'media_removed',
        status: message.is_error === true ? Number(message.api_error_status ?? 0) : troubles.status,
        error: stringOf(message.error) ?? troubles.error,
      };
    },
    take() {
      const taken = troubles;
      troubles = none;
      return taken;
    },
  };
}
