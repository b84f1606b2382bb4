import type { RandomAccess } from '../../../file/read-file.ts';

/** A file as if it ended earlier: its size, and bytes that replace those at a place. */
export type Mend = { sizeBytes: number; at: number; bytes: Uint8Array };

const segmentId = 0x18538067;
const clusterId = 0x1f43b675;
// More in a file whose segment has no length are no recording.
const mostElements = 1_000_000;
const mostHeaderBytes = 12;

/**
 * Ends the last cluster of a Matroska file that was cut off behind the last block that is whole: the parser reads no cluster that is longer than the file.
 * Undefined if the file is whole or is not Matroska.
 */
export function mendMatroska(file: RandomAccess): Mend | undefined {
  let cluster: Element | undefined;
  let at = 0;
  for (let count = 0; at < file.sizeBytes; count += 1) {
    const element = readElement(file, at);
    if (element === undefined) break;
    const { id, contentAt, end } = element;
    if (count > mostElements || (id === segmentId && end !== undefined && end <= file.sizeBytes)) return undefined;
    const isHeld = end !== undefined && end <= file.sizeBytes;
    if (!isHeld && id !== segmentId && id !== clusterId) break;
    if (!isHeld && id === clusterId) cluster = element;
    at = isHeld ? end : contentAt;
  }
  if (cluster === undefined) return undefined;
  return { sizeBytes: at, at: cluster.sizeAt, bytes: writeSize(cluster, at) };
}

/** `end` is undefined where the length is left open. */
type Element = { id: number; sizeAt: number; contentAt: number; end: number | undefined };

function readElement(file: RandomAccess, at: number): Element | undefined {
  const header = file.bytesAt(at, mostHeaderBytes);
  const idBytes = measureNumber(header[0]);
  const sizeBytes = measureNumber(header[idBytes]);
  if (idBytes > 4 || sizeBytes > 8 || header.length < idBytes + sizeBytes) return undefined;
  const id = header.readUIntBE(0, idBytes);
  const digits = header.subarray(idBytes, idBytes + sizeBytes);
  const isOpen = digits.every((digit, index) => digit === (index === 0 ? 0xff >> (sizeBytes - 1) : 0xff));
  let size = (digits[0] ?? 0) & (0xff >> sizeBytes);
  for (const digit of digits.subarray(1)) size = size * 256 + digit;
  const contentAt = at + idBytes + sizeBytes;
  return { id, sizeAt: at + idBytes, contentAt, end: isOpen ? undefined : contentAt + size };
}

// The zeros at the beginning of a number say how many bytes it has.
const measureNumber = (first = 0): number => Math.clz32(first) - 23;

// In as many bytes as before; a length that was left open stays so.
function writeSize({ sizeAt, contentAt, end }: Element, newEnd: number): Uint8Array {
  const bytes = new Uint8Array(end === undefined ? 0 : contentAt - sizeAt);
  let rest = newEnd - contentAt;
  for (let index = bytes.length - 1; index >= 0; index -= 1) {
    bytes[index] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  if (bytes.length > 0) bytes[0] = (bytes[0] ?? 0) | (0x100 >> bytes.length);
  return bytes;
}
