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

type Thread = { say(message: ToThread): void; onOver(): void };
type Opened = BodyReader & { onMessage(message: FromThread): void; onLost(): void };

/** `steps`: all of one size. `onOver` is called once, when neither side needs them any more. */
export function createBodyReader(id: number, steps: SharedArrayBuffer[], reading: BodyReading, thread: Thread): Opened {
  const free = steps.map((_, step) => step);
  const views = steps.map((step) => Buffer.from(step));
  /** What came while there was no room. */
  let waiting: Buffer[] = [];
  let filledBytes = 0;
  let room: PromiseWithResolvers<void> | undefined;
  let result: BodyRead | undefined;
  const over = Promise.withResolvers<BodyRead>();
  let isEnded = false;
  thread.say({ kind: 'begin', id, reading, steps });

  function settle(read: BodyRead): void {
    if (result !== undefined) return;
    result = read;
    waiting = [];
    room?.resolve();
    over.resolve(read);
    thread.onOver();
  }

  function sendStep(): void {
    const step = free.shift();
    if (step !== undefined) thread.say({ kind: 'read', id, step, sizeBytes: filledBytes });
    filledBytes = 0;
  }

  function copy(chunk: Buffer): void {
    for (let taken = 0; taken < chunk.length; ) {
      const view = views[free[0] ?? -1];
      if (view === undefined) return void waiting.push(Buffer.from(chunk.subarray(taken)));
      const copied = chunk.copy(view, filledBytes, taken);
      taken += copied;
      filledBytes += copied;
      if (filledBytes === view.length) sendStep();
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
    if (filledBytes > 0) sendStep();
    thread.say({ kind: 'end', id });
  }

  return {
    take(chunk) {
      if (result === undefined) copy(chunk);
    },
    waitForRoom() {
      if (result !== undefined || free.length > 0) return undefined;
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
        free.push(message.step);
        copyWaiting();
      } else if (message.kind === 'read') settle({ status: 'read', content: message.content });
      else settle({ status: 'refused', code: message.code });
    },
    onLost: () => settle({ status: 'lost' }),
  };
}
