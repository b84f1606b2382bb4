import { base64Bytes } from '../transport-size.ts';
import type { ImageWish } from './wish-image.ts';

/** How many bytes of the line each image gets, in the order of the wishes. */
type Grants = number[];

/** Kept free for each image that is still to come, before a large original takes the room. */
const COMFORTABLE_BYTES = 512 * 1024;

type Claim = { index: number; demand: number; reserve: number; isNative: boolean };

/**
 * Splits what is left of a line among the images of a message; the same message always splits in the same way. Originals
 * come first, small before large, as long as the others keep a comfortable share; the rest is shared evenly, and what a
 * small image does not need goes to the large ones. A grant counts base64.
 */
export function shareLine(lineBytes: number, wishes: readonly ImageWish[]): Grants {
  const grants: Grants = wishes.map(() => 0);
  const claims = wishes.map(claimOf).toSorted((a, b) => a.demand - b.demand || a.index - b.index);
  let left = lineBytes;
  let reserved = claims.reduce((sum, { reserve }) => sum + reserve, 0);
  const waiting: Claim[] = [];
  for (const claim of claims) {
    const others = reserved - claim.reserve;
    if (!claim.isNative || claim.demand + others > left) {
      waiting.push(claim);
      continue;
    }
    grants[claim.index] = claim.demand;
    left -= claim.demand;
    reserved = others;
  }
  shareEvenly(left, waiting, grants);
  return grants;
}

function claimOf(wish: ImageWish, index: number): Claim {
  const demand = base64Bytes(wish.nativeBytes ?? wish.neededBytes);
  return {
    index,
    demand,
    reserve: Math.min(demand, base64Bytes(COMFORTABLE_BYTES)),
    isNative: wish.nativeBytes !== undefined,
  };
}

/** `claims` stand by rising demand, so that what one leaves is there for all after it. */
function shareEvenly(lineBytes: number, claims: readonly Claim[], grants: Grants): void {
  let left = Math.max(0, lineBytes);
  claims.forEach((claim, position) => {
    const grant = Math.min(claim.demand, Math.floor(left / (claims.length - position)));
    grants[claim.index] = grant;
    left -= grant;
  });
}
