/** What a program said of a turn beside the protocol. */
export type Troubles = {
  /** A picture or document was taken out of the conversation, and the turn went on without it. */
  removedMedia: boolean;
  /** Of the provider's last refusal; 0 where none is known. */
  status: number;
  /** The program's word for it. */
  error: string | undefined;
};

const none: Troubles = { removedMedia: false, status: 0, error: undefined };

export type TroubleLog = {
  note(told: Partial<Troubles>): void;
  /** What was said in the turn; forgotten then. */
  take(): Troubles;
};

export function createTroubleLog(): TroubleLog {
  let troubles = none;
  return {
    note({ removedMedia = false, status = troubles.status, error = troubles.error }) {
      troubles = { removedMedia: troubles.removedMedia || removedMedia, status, error };
    },
    take() {
      const taken = troubles;
      troubles = none;
      return taken;
    },
  };
}
