import { type Held, heldNothing } from '@attache/domain';
import type { DeliveryRow } from './delivery-reader.ts';

/** What a failed delivery becomes when it is tried once more: unedited, and not forgetting what its runtime holds of the attempts before. */
export function nextAttemptOf(row: Pick<DeliveryRow, 'attempts' | 'writingAt' | 'held' | 'leftBefore'>) {
  const { attempts, writingAt, held, leftBefore } = row;
  return {
    ...{ attempts: attempts + 1, failure: null, writingAt: null, held: null },
    leftBefore:
      writingAt && held ? { ...add(leftBefore ?? heldNothing, held), at: writingAt.toISOString() } : leftBefore,
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
