import type { BlobRange } from '@attache/blob-store';
import { Fault } from '@attache/contracts';

/**
 * One byte range of a Range header (RFC 9110 §14). Undefined: send the whole (no header, another unit, several ranges, a range that is none). A range that
 * lies outside is refused.
 */
export function parseRange(header: string | undefined, sizeBytes: number): BlobRange | undefined {
  const [, first = '', last = ''] = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(header ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  if (first !== '' && last !== '' && Number(first) > Number(last)) return undefined;
  const range = resolve(first, last, sizeBytes);
  if (!range || range.start >= sizeBytes) {
    throw new Fault('RANGE_NOT_SATISFIABLE', `The range does not lie within the ${sizeBytes} bytes of this file.`);
  }
  return range;
}

function resolve(first: string, last: string, sizeBytes: number): BlobRange | undefined {
  const end = sizeBytes - 1;
  if (first !== '') return { start: Number(first), end: last === '' ? end : Math.min(Number(last), end) };
  if (last === '' || Number(last) === 0) return undefined;
  return { start: Math.max(0, sizeBytes - Number(last)), end };
}
