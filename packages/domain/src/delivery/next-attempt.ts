import { type Held, heldNothing } from '../plan/room/measure-held.ts';

/** What attempts of a delivery left in a runtime's conversation; `at`: when the last of them was begun to be written, in ISO 8601. */
export type LeftBefore = Held & { at: string };

/** What an attempt left behind, and those before it. `begunAt`: when its first byte was about to be written; null where none was. */
export type AttemptTrace = {
  readonly begunAt: Date | null;
  readonly held: Held | null;
  readonly leftBefore: LeftBefore | null;
};

/** What a failed delivery becomes when it is tried once more: unedited, and not forgetting what its runtime holds of the attempts before. */
export function nextAttemptOf(attempt: number, { begunAt, held, leftBefore }: AttemptTrace) {
  return {
    ...{ attempts: attempt + 1, failure: null, writingAt: null, held: null },
    leftBefore: begunAt && held ? { ...add(leftBefore ?? heldNothing, held), at: begunAt.toISOString() } : leftBefore,
  };
}

function add(left: Held, right: Held): Held {
  return {
    bytes: left.bytes + right.bytes,
    pixels: left.pixels + right.pixels,
    images: left.images + right.images,
    pages: left.pages + right.pages,
  };
}
