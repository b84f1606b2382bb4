import { setImmediate as nextRound } from 'node:timers/promises';

/** The state of the turn that runs. */
export type TurnState = {
  /** Whether the prompt's last byte is still to be accepted. */
  isWriting: boolean;
  readonly interrupted: Promise<'interrupted'>;
  interrupt(): void;
  /** Resolves when another turn may begin. */
  readonly over: Promise<void>;
};

/** The turn that an agent is in; at most one. */
export type TurnKeeper = {
  readonly current: TurnState | undefined;
  begin(): TurnState;
  end(): void;
  /** Resolves once the gateway knows that the current turn's prompt is written: events that follow from a prompt come after its `written`. */
  afterWritten(): Promise<void>;
  /** Resolves when the turn that is current now is interrupted. */
  interrupted(): Promise<'interrupted'>;
};

const never = new Promise<never>(() => undefined);

export function createTurnKeeper(): TurnKeeper {
  let current: TurnState | undefined;
  let endCurrent = () => {};
  return {
    get current() {
      return current;
    },
    begin: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      endCurrent = resolve;
      current = newTurn(promise);
      return current;
    },
    end: () => {
      current = undefined;
      endCurrent();
    },
    async afterWritten() {
      // An answer may be read before the callback of the write that it answers has run.
      if (current?.isWriting) await nextRound();
    },
    interrupted: () => current?.interrupted ?? never,
  };
}

function newTurn(over: Promise<void>): TurnState {
  const { promise, resolve } = Promise.withResolvers<'interrupted'>();
  return {
    isWriting: true,
    interrupted: promise,
    interrupt: () => resolve('interrupted'),
    over,
  };
}
