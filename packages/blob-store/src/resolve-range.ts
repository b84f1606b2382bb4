import { Fault } from '@attache/contracts';
import type { BlobRange } from './blob-store.ts';

/** The part of a blob that a range names, cut at its last byte. Fault `RANGE_NOT_SATISFIABLE` where that part has no byte. */
export function resolveRange(range: BlobRange, sizeBytes: number): BlobRange {
  const { start, end } = range;
  const isOrdered = Number.isSafeInteger(start) && Number.isSafeInteger(end) && 0 <= start && start <= end;
  if (!isOrdered || start >= sizeBytes) {
    throw new Fault('RANGE_NOT_SATISFIABLE', `The range has no byte of this blob, which is ${sizeBytes} bytes long.`);
  }
  return { start, end: Math.min(end, sizeBytes - 1) };
}
