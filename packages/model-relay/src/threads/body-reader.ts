import type { RelayedContent } from '../content/content-types.ts';
import type { RefusalCode } from '../relay-types.ts';
import { createStepFiller, type StepWay } from './step-filler.ts';
import type { BodyReading, FromThread, ToThread } from './thread-messages.ts';

/** The result of reading a body in a thread. `lost`: the thread ended before it was read. */
export type BodyRead =
  | { readonly status: 'read'; readonly content: RelayedContent | undefined }
  | { readonly status: 'refused'; readonly code: RefusalCode }
  | { readonly status: 'lost' };

/** Reads one body in a thread. */
export type BodyReader = {
  /** Takes a copy of what comes next. */
  take(chunk: Buffer): void;
  /** Settles once there is room for more; undefined if there is. */
  waitForRoom(): Promise<void> | undefined;
  /** Why it is refused, once that is known. */
  findRefusal(): RefusalCode | undefined;
  end(): Promise<BodyRead>;
  /** Its result is wanted no more. */
  drop(): void;
};

type Thread = Omit<StepWay, 'send'> & {
  say(message: ToThread, transferred?: ArrayBuffer[]): void;
  /** Called once, when neither side has to do with the body any more. */
  onOver(): void;
};
type Opened = BodyReader & { onMessage(message: FromThread): void; onLost(): void };

export function createBodyReader(id: number, reading: BodyReading, thread: Thread): Opened {
  const send = (step: ArrayBuffer, sizeBytes: number) => thread.say({ kind: 'read', id, step, sizeBytes }, [step]);
  const filler = createStepFiller({ ...thread, send });
  let room: PromiseWithResolvers<void> | undefined;
  let result: BodyRead | undefined;
  const over = Promise.withResolvers<BodyRead>();
  /** Whether the end came and waits for what is held. */
  let isEndHeld = false;
  thread.say({ kind: 'begin', id, reading });

  function settle(read: BodyRead): void {
    if (result !== undefined) return;
    result = read;
    filler.drop();
    room?.resolve();
    over.resolve(read);
    thread.onOver();
  }

  function sendEnd(): void {
    filler.flush();
    thread.say({ kind: 'end', id });
  }

  function takeBack(step: ArrayBuffer): void {
    filler.takeBack(step);
    if (filler.isHolding()) return;
    room?.resolve();
    room = undefined;
    if (isEndHeld) sendEnd();
    isEndHeld = false;
  }

  return {
    take: (chunk) => (result === undefined ? filler.copy(chunk) : undefined),
    waitForRoom() {
      if (result !== undefined || filler.hasRoom()) return undefined;
      room ??= Promise.withResolvers();
      return room.promise;
    },
    findRefusal: () => (result?.status === 'refused' ? result.code : undefined),
    end() {
      isEndHeld = filler.isHolding();
      if (result === undefined && !isEndHeld) sendEnd();
      return over.promise;
    },
    drop() {
      if (result !== undefined) return;
      thread.say({ kind: 'drop', id });
      settle({ status: 'lost' });
    },
    onMessage(message) {
      if (message.kind === 'free') takeBack(message.step);
      else if (message.kind === 'read') settle({ status: 'read', content: message.content });
      else settle({ status: 'refused', code: message.code });
    },
    onLost: () => settle({ status: 'lost' }),
  };
}
