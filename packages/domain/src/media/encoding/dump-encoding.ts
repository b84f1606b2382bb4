import { beginsLikeMedia } from '../spelled-heads.ts';
import type { ByteSink, Encoding } from './encoding.ts';

const MAX_LINE = 512;
const LAST_BYTES_PER_LINE = 64;

const offsetPattern = /([0-9a-f]{6,16})(:?)[ \t]{1,4}/iy;
const startPattern = /0{6,16}(?::[ \t]|[ \t])[ \t]{0,3}([0-9a-f]{2}) ?([0-9a-f]{2}) ?([0-9a-f]{2})/iy;
const rawBreak = /\r?\n/;
// The text column may hold a backslash, too: a line break counts only if the next line begins with an offset.
const escapedBreak = /\\{1,64}n(?=[ \t]{0,8}[0-9a-f]{6,16}[: \t]|["'`]|$)/i;

type Line = { bytes: number[]; offset: string; end: number };

/** Whether a dump with offsets begins at `at`: that of the first byte, at the beginning of a line. */
export function beginsDump(text: string, at: number): boolean {
  startPattern.lastIndex = at;
  const [, first = '', second = '', third = ''] = startPattern.exec(text) ?? [];
  if (!beginsLikeMedia(byteOf(first), byteOf(second), byteOf(third))) return false;
  return /(?:^|[\n"'`]|\\n|^ {1,8}|[\n] {1,8})$/.test(text.slice(Math.max(0, at - 9), at));
}

const byteOf = (pair: string): number => Number.parseInt(pair, 16);

/** Reads the output of `xxd`, `hexdump -C` and `od -t x1`: an offset, bytes, and the bytes as text. Each offset must be right. */
export function createDumpEncoding(sink: ByteSink): Encoding {
  let isEnded = false;
  let byteCount = 0;
  let lineBytes = 0;
  let characterCount = 0;

  const takeLine = (line: Line): boolean => {
    const isNext = [16, 8].some((radix) => Number.parseInt(line.offset, radix) === byteCount);
    const isLast = byteCount > 0 && byteCount % lineBytes !== 0;
    if (!isNext || isLast || line.bytes.length === 0 || line.bytes.length > (lineBytes || LAST_BYTES_PER_LINE))
      return false;
    lineBytes ||= line.bytes.length;
    for (const byte of line.bytes) sink.push(byte);
    byteCount += line.bytes.length;
    characterCount += line.bytes.length * 2;
    return true;
  };

  return {
    read(text, start, isWhole) {
      let at = start;
      while (!isEnded) {
        const from = byteCount === 0 ? at : skipBreak(text, at, isWhole);
        const line = from === undefined ? undefined : readLine(text, from, isWhole);
        if (line === undefined) break;
        if (line === 'none' || !takeLine(line)) isEnded = true;
        else at = line.end;
      }
      sink.show();
      return at;
    },
    get isEnded() {
      return isEnded;
    },
    get characterCount() {
      return characterCount;
    },
    rest: '',
  };
}

/** The index after the line break at `at` and the blanks that indent the next line. */
function skipBreak(text: string, at: number, isWhole: boolean): number | undefined {
  const found = /^(?:\r?\n|\\{1,64}n)[ \t]{0,8}/.exec(text.slice(at, at + 80))?.[0].length ?? 0;
  return !isWhole && text.length - at < 80 && at + found >= text.length ? undefined : at + found;
}

/** Undefined if the line is not complete. */
function readLine(text: string, at: number, isWhole: boolean): Line | 'none' | undefined {
  const part = text.slice(at, at + MAX_LINE);
  const isAll = isWhole || part.length === MAX_LINE;
  const [found] = rawBreak.exec(part) ?? (isAll ? escapedBreak.exec(part) : undefined) ?? [];
  if (found === undefined && !isAll) return undefined;
  const quote = /["'`](?=[^"'`]*$)/.exec(part)?.index;
  const length = found === undefined ? (quote ?? part.length) : part.indexOf(found);
  const line = part.slice(0, length);
  offsetPattern.lastIndex = 0;
  const [head = '', offset = '', colon = ''] = offsetPattern.exec(line) ?? [];
  if (head === '') return 'none';
  const groups = bytesPart(line.slice(head.length), colon === ':')
    .trim()
    .split(/[ \t]+/);
  const digits = groups.every((group) => /^(?:[0-9a-f]{2})+$/i.test(group)) ? groups.join('') : '';
  const bytes = (digits.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16));
  return { bytes, offset, end: at + length };
}

/** The part of a line between its offset and the text column. */
function bytesPart(line: string, hasColon: boolean): string {
  const asText = hasColon ? line.search(/ {2}/) : line.search(/ {2}[|>]/);
  return asText < 0 ? line : line.slice(0, asText);
}
