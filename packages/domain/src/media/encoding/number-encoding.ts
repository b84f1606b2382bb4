import type { ByteSink, Encoding } from './encoding.ts';
import { type Gap, readGap } from './read-character.ts';

/** How a byte array is written: a list, or an object whose keys are indices in these quotes. */
export type NumberForm = { keyQuote: string | undefined };

type Read = { end: number } | 'none' | 'more';

const COMMA = 0x2c;
const COLON = 0x3a;
const numberPattern = /-?\d{1,4}/y;

/** Bytes as decimal numbers, with or without sign: `[137,80,78,71]`, `{"0":137,"1":80}`. Begins at the first number, ends behind the last. */
export function createNumberEncoding(sink: ByteSink, { keyQuote }: NumberForm): Encoding {
  let isEnded = false;
  let byteCount = 0;
  let characterCount = 0;

  /** Finds the start of the next number. */
  const findNumber = (text: string, at: number, isWhole: boolean): Read => {
    if (byteCount === 0) return { end: at };
    const comma = readMark(text, at, isWhole, COMMA);
    if (typeof comma === 'string' || keyQuote === undefined) return comma;
    const key = `${keyQuote}${byteCount}${keyQuote}`;
    if (!text.startsWith(key, comma.end)) return isWhole || text.length - comma.end >= key.length ? 'none' : 'more';
    return readMark(text, comma.end + key.length, isWhole, COLON);
  };

  return {
    read(text, start, isWhole) {
      let at = start;
      while (!isEnded) {
        const next = findNumber(text, at, isWhole);
        const number = typeof next === 'string' ? next : readNumber(text, next.end, isWhole);
        if (number === 'more') break;
        if (number === 'none') {
          isEnded = true;
          break;
        }
        sink.push(number.value & 0xff);
        byteCount += 1;
        characterCount += number.end - at;
        at = number.end;
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

/** A mark with gaps around it. */
function readMark(text: string, at: number, isWhole: boolean, mark: number): Read {
  const before = readGap(text, at, isWhole);
  if (before === undefined || (before.end >= text.length && !isWhole)) return 'more';
  if (text.charCodeAt(before.end) !== mark) return 'none';
  const after: Gap | undefined = readGap(text, before.end + 1, isWhole);
  return after ?? 'more';
}

function readNumber(text: string, at: number, isWhole: boolean): { value: number; end: number } | 'none' | 'more' {
  numberPattern.lastIndex = at;
  const [digits] = numberPattern.exec(text) ?? [];
  if (digits === undefined) return !isWhole && /^-?$/.test(text.slice(at, at + 2)) ? 'more' : 'none';
  const end = at + digits.length;
  if (end >= text.length && !isWhole) return 'more';
  const value = Number(digits);
  return value >= -128 && value <= 255 && !/[.\w]/.test(text.charAt(end)) ? { value, end } : 'none';
}
