import { base64Bytes } from './transport-size.ts';

/** How many serialised bytes each demand gets, in the order of the demands. */
type Grants = number[];

/** A wish for a share of the room, serialised. `isWhole`: an original, which takes all of it or none. */
export type Demand = { bytes: number; isWhole: boolean };

/** Kept free for each image that is still to come, before a large original takes the room. */
export const COMFORTABLE_BYTES = 512 * 1024;
/** Kept free for each image before a document becomes pages. */
export const LEAST_BYTES = 48 * 1024;

type Claim = Demand & { index: number; reserve: number };

/**
 * Splits what is left of the room among images and pages; the same message always splits in the same way. Originals come first,
 * small before large, as long as the others keep a comfortable share; the rest is shared evenly, and what a small one does not need
 * goes to the large ones.
 */
export function shareLine(roomBytes: number, demands: readonly Demand[]): Grants {
  const grants: Grants = demands.map(() => 0);
  const claims = demands
    .map(
      (demand, index): Claim => ({ ...demand, index, reserve: Math.min(demand.bytes, base64Bytes(COMFORTABLE_BYTES)) }),
    )
    .toSorted((a, b) => a.bytes - b.bytes || a.index - b.index);
  let left = roomBytes;
  let reserved = claims.reduce((sum, { reserve }) => sum + reserve, 0);
  const waiting: Claim[] = [];
  for (const claim of claims) {
    const others = reserved - claim.reserve;
    if (!claim.isWhole || claim.bytes + others > left) {
      waiting.push(claim);
      continue;
    }
    grants[claim.index] = claim.bytes;
    left -= claim.bytes;
    reserved = others;
  }
  shareEvenly(left, waiting, grants);
  return grants;
}

/** `claims` are sorted by rising demand, so that the rest of one is there for all after it. */
function shareEvenly(roomBytes: number, claims: readonly Claim[], grants: Grants): void {
  let left = Math.max(0, roomBytes);
  claims.forEach((claim, position) => {
    const grant = Math.min(claim.bytes, Math.floor(left / (claims.length - position)));
    grants[claim.index] = grant;
    left -= grant;
  });
}
