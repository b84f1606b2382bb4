import { BACKSLASH, QUOTE } from '../../json/json-bytes.ts';
import { shapes } from '../content-shapes.ts';

const MAX_SHORT_BYTES = 40;

/** Nearly all words of a conversation are these. Finding one costs less than creating it. */
const known = new Map(listKnownWords().map((word) => [digestOf(word), word]));

/** The string behind the quote at `at`, where it ends soon and needs no escape. */
export function findShortWord(chunk: Buffer, at: number): string | undefined {
  const from = at + 1;
  const last = Math.min(at + MAX_SHORT_BYTES, chunk.length);
  let digest = 0;
  for (let end = from; end < last; end += 1) {
    const byte = chunk[end] ?? 0;
    if (byte === QUOTE) {
      const word = known.get(digest);
      return word !== undefined && isSpelled(word, chunk, from, end) ? word : chunk.toString('latin1', from, end);
    }
    if (byte === BACKSLASH) return undefined;
    digest = addTo(digest, byte);
  }
  return undefined;
}

function isSpelled(word: string, chunk: Buffer, from: number, end: number): boolean {
  if (word.length !== end - from) return false;
  for (let at = from; at < end; at += 1) if (word.charCodeAt(at - from) !== chunk[at]) return false;
  return true;
}

function addTo(digest: number, byte: number): number {
  return (Math.imul(digest, 31) + byte) & 0x3fffffff;
}

function digestOf(word: string): number {
  let digest = 0;
  for (const byte of Buffer.from(word)) digest = addTo(digest, byte);
  return digest;
}

function listKnownWords(): string[] {
  const keys = Object.values(shapes).flatMap(({ levels }) => Object.values(levels).flatMap(Object.keys));
  const types = Object.values(shapes).flatMap((shape) => Object.values(shape.types ?? {}).flat());
  return [...keys, ...types, 'user', 'assistant', 'tool_use', 'tool_use_id', 'tool_result', 'base64'];
}
