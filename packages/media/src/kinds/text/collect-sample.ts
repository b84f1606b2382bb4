import { isAscii } from 'node:buffer';
import { readsAsUtf8 } from '@attache/domain/lenient-decoder';
import { readChunks } from '../../file/read-file.ts';

/** Lines that hold bytes beyond ASCII, from all parts of a file: those in UTF-8, and the others. */
export type TextSample = { utf8: SampledLines; others: SampledLines };

export type SampledLines = {
  lines: Buffer;
  /** How many bytes beyond ASCII they hold. */
  bytesBeyondAscii: number;
};

const sampleBytes = 64 * 1024;
const chunkBytes = 64 * 1024;
const leastPerChunkBytes = 128;

/** Letters in the last line of a long listing count as much as those in its first. `sizeBytes` is the size of the file. */
export function collectSample(path: string, sizeBytes: number): TextSample {
  const perChunkBytes = Math.max(leastPerChunkBytes, Math.floor(sampleBytes / Math.ceil(sizeBytes / chunkBytes)));
  const utf8: Buffer[] = [];
  const others: Buffer[] = [];
  let isFirst = true;
  for (const chunk of readChunks(path)) {
    const start = isFirst ? 0 : findAscii(chunk);
    isFirst = false;
    if (isAscii(chunk)) continue;
    for (const line of takeLines(chunk, start, perChunkBytes)) {
      (isUtf8Line(line) ? utf8 : others).push(newline, Buffer.from(line));
    }
  }
  return { utf8: join(utf8), others: join(others) };
}

function join(pieces: readonly Buffer[]): SampledLines {
  const lines = Buffer.concat(pieces);
  let bytesBeyondAscii = 0;
  for (const byte of lines) if (byte >= 0x80) bytesBeyondAscii += 1;
  return { lines, bytesBeyondAscii };
}

const newline = Buffer.from('\n');
// So many plain bytes before the first other one belong to its word.
const wordBytes = 24;

/** Lines with bytes beyond ASCII, until there are `mostBytes` of them. */
function* takeLines(chunk: Buffer, from: number, mostBytes: number): Generator<Buffer> {
  let left = mostBytes;
  for (let at = findBeyondAscii(chunk, from); at < chunk.length && left > 0; ) {
    const lineStart = chunk.lastIndexOf(0x0a, at) + 1;
    const start = Math.max(lineStart, from, left < at - lineStart + wordBytes ? at - wordBytes : 0);
    const newlineAt = chunk.indexOf(0x0a, at);
    const lineEnd = newlineAt < 0 ? chunk.length : newlineAt;
    const line = chunk.subarray(start, Math.min(lineEnd, Math.max(at + 1, start + left)));
    left -= line.length;
    yield line;
    at = findBeyondAscii(chunk, lineEnd);
  }
}

// A character that is cut off at its end does not count.
function isUtf8Line(line: Buffer): boolean {
  return readsAsUtf8(line, new TextDecoder().decode(line, { stream: true }));
}

function findBeyondAscii(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && (bytes[at] ?? 0) < 0x80) at += 1;
  return at;
}

// A piece of a file may begin within a character.
function findAscii(bytes: Buffer): number {
  let at = 0;
  while (at < bytes.length && (bytes[at] ?? 0) >= 0x80) at += 1;
  return at;
}
