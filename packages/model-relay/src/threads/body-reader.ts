import type { RelayedContent } from '../content/content-types.ts';
import type { RefusalCode } from '../relay-types.ts';
import type { BodyReading, FromThread, ToThread } from './thread-messages.ts';

export const STEP_BYTES = 256 * 1024;
/** Of one body. Of more it holds back its program. */
export const MAX_STEPS = 4;

/** What became of a body in a thread. `lost`: the thread ended before it was read. */
export type BodyRead =
  | { readonly status: 'read'; readonly content: RelayedContent | undefined }
  | { readonly status: 'refused'; readonly code: RefusalCode }
  | { readonly status: 'lost' };

/** Reads one body in a thread. */
export type BodyReader = {
  /** Takes a copy of what comes next. */
  take(chunk: Buffer): void;
  /** What settles once there is room for more; undefined where there is. */
  waitForRoom(): Promise<void> | undefined;
  /** Why it is refused, once that is known. */
  findRefusal(): RefusalCode | undefined;
  end(): Promise<BodyRead>;
  /** Its result is wanted no more. */
  drop(): void;
};

type Thread = {
  say(message: ToThread, transferred?: ArrayBuffer[]): void;
  /** Steps to be filled, `stepBytes` each. */
  takeStep(): ArrayBuffer;
  keepStep(step: ArrayBuffer): void;
  /** Called once, when neither side has to do with the body any more. */
  onOver(): void;
};
type Opened = BodyReader & { onMessage(message: FromThread): void; onLost(): void };

export function createBodyReader(id: number, reading: BodyReading, thread: Thread): Opened {
  /** The one that is filled. */
  let step: Buffer | undefined;
  /** Steps that the thread has. */
  let sentSteps = 0;
  /** What came while there was no room. */
  let waiting: Buffer[] = [];
  let filledBytes = 0;
  let room: PromiseWithResolvers<void> | undefined;
  let result: BodyRead | undefined;
  const over = Promise.withResolvers<BodyRead>();
  let isEnded = false;
  thread.say({ kind: 'begin', id, reading });

  function settle(read: BodyRead): void {
    if (result !== undefined) return;
    result = read;
    waiting = [];
    if (step !== undefined) thread.keepStep(step.buffer as ArrayBuffer);
    room?.resolve();
    over.resolve(read);
    thread.onOver();
  }

  const hasRoom = (): boolean => result !== undefined || sentSteps < MAX_STEPS;

  function sendStep({ buffer }: Buffer): void {
    const full = buffer as ArrayBuffer;
    thread.say({ kind: 'read', id, step: full, sizeBytes: filledBytes }, [full]);
    sentSteps += 1;
    filledBytes = 0;
    step = undefined;
  }

  function copy(chunk: Buffer): void {
    for (let taken = 0; taken < chunk.length; ) {
      if (!hasRoom()) return void waiting.push(Buffer.from(chunk.subarray(taken)));
      step ??= Buffer.from(thread.takeStep());
      const copied = chunk.copy(step, filledBytes, taken);
      taken += copied;
      filledBytes += copied;
      if (filledBytes === step.length) sendStep(step);
    }
  }

  function copyWaiting(): void {
    const chunks = waiting;
    waiting = [];
    for (const chunk of chunks) copy(chunk);
    if (waiting.length > 0) return;
    room?.resolve();
    room = undefined;
    if (isEnded) sendEnd();
  }

  function sendEnd(): void {
    if (step !== undefined) sendStep(step);
    thread.say({ kind: 'end', id });
  }

  return {
    take(chunk) {
      if (result === undefined) copy(chunk);
    },
    waitForRoom() {
      if (hasRoom()) return undefined;
      room ??= Promise.withResolvers();
      return room.promise;
    },
    findRefusal: () => (result?.status === 'refused' ? result.code : undefined),
    end() {
      isEnded = true;
      if (result === undefined && waiting.length === 0) sendEnd();
      return over.promise;
    },
    drop() {
      if (result !== undefined) return;
      thread.say({ kind: 'drop', id });
      settle({ status: 'lost' });
    },
    onMessage(message) {
      if (message.kind === 'free') {
        sentSteps -= 1;
        thread.keepStep(message.step);
        if (result === undefined) copyWaiting();
      } else if (message.kind === 'read') settle({ status: 'read', content: message.content });
      else settle({ status: 'refused', code: message.code });
    },
    onLost: () => settle({ status: 'lost' }),
  };
}
