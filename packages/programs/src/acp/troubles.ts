/** A program's reports about a turn outside the protocol. */
export type Troubles = {
  /** A picture or document was taken out of the conversation, and the turn went on without it. */
  removedMedia: boolean;
  /** The status of the provider's last refusal; 0 if none is known. */
  status: number;
  /** The program's word for it. */
  error: string | undefined;
};

const none: Troubles = { removedMedia: false, status: 0, error: undefined };

export type TroubleLog = {
  note(told: Partial<Troubles>): void;
  /** Takes the reports about the turn, and forgets them. */
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
