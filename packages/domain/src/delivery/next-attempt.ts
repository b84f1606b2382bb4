import { type Held, heldNothing } from '../plan/room/measure-held.ts';

/** Content that earlier attempts of a delivery left in a runtime's conversation; `at` is the time at which writing of the last of them began, in ISO 8601. */
export type LeftBefore = Held & { at: string };

/** Content that an attempt and those before it left behind. `begunAt` is the time just before its first byte was written; null if none was. */
export type AttemptTrace = {
  readonly begunAt: Date | null;
  readonly held: Held | null;
  readonly leftBefore: LeftBefore | null;
};

/** The changes of a failed delivery for its next attempt: it is sent unedited, and what its runtime holds of earlier attempts is not forgotten. */
export function nextAttemptOf(attempt: number, { begunAt, held, leftBefore }: AttemptTrace) {
  return {
    ...{ attempts: attempt + 1, failure: null, writingAt: null, held: null },
    leftBefore: begunAt && held ? { ...add(leftBefore ?? heldNothing, held), at: begunAt.toISOString() } : leftBefore,
  };
}

function add(left: Held, right: Held): Held {
  return {
    bytes: left.bytes + right.bytes,
    imageBytes: (left.imageBytes ?? 0) + (right.imageBytes ?? 0),
    pixels: left.pixels + right.pixels,
    images: left.images + right.images,
    pages: left.pages + right.pages,
  };
}
