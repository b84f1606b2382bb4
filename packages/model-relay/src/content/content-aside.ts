import type { ContentScan } from './content-scan.ts';
import { spoilContent } from './content-scan.ts';
import type { Slot } from './content-walk.ts';
import { createPieceKey } from './string/piece-digest.ts';

/** Begins to take a value as it is, for the message or part that contains it. Fields for caching are left out: they move from request to request. */
export function beginAside(scan: ContentScan, slot: Slot | undefined, at: number): void {
  if (slot === undefined || scan.aside !== undefined) return;
  const { node, purpose, key } = slot;
  if (node === undefined) {
    spoilContent(scan);
    return;
  }
  const isLeftOut = purpose === 'cache-control';
  if (purpose === 'reference') node.leaves.push({ key, leaf: { kind: 'none' } });
  else if (purpose !== undefined && purpose !== 'tools') node.isOdd ||= !isLeftOut;
  if (!isLeftOut) node.others ??= createPieceKey();
  const others = isLeftOut ? undefined : node.others;
  scan.aside = { slot, node, others, depth: scan.levels.length, start: scan.before + at, from: at };
}

/** Ends it, where the value that ended is the one that was begun. */
export function endAside(scan: ContentScan, chunk: Buffer, at: number): void {
  const { aside } = scan;
  if (aside === undefined || aside.depth !== scan.levels.length) return;
  const { slot, node, others, start, from } = aside;
  const end = scan.before + at;
  scan.aside = undefined;
  others?.add(chunk.subarray(from, at));
  if (slot.purpose === 'cache-control') node.cacheControl = { start, end };
  // More than an empty list.
  if (slot.purpose === 'tools') scan.walk.hasTools ||= end - start > 2;
}
