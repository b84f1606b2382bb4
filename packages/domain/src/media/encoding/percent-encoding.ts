import type { ByteSink, Encoding } from './encoding.ts';
import { codeOf, lengthOf, MORE, readCharacter } from './read-character.ts';

const PERCENT = 0x25;
const encoder = new TextEncoder();

/** How a data URL is set off from the text around it. */
export type UrlFrame = {
  /** The closing sign: a quote, a bracket, or nothing but a blank. */
  close: string;
  /** The number of backslashes before its quotes. */
  depth: number;
};

/** The payload of a data URL that is not base64: characters, and bytes behind a percent sign. Between quotes it may hold blanks. */
export function createPercentEncoding(sink: ByteSink, frame: UrlFrame): Encoding {
  let isEnded = false;
  let characterCount = 0;
  let openBrackets = 0;

  /** Length of what is at `at`, whose bytes go to the sink; 0 at the end, `MORE` where more of the text is needed. */
  const readOne = (text: string, at: number, isWhole: boolean): number => {
    if (text.charCodeAt(at) === PERCENT) return readByte(text, at, isWhole, sink);
    const isEscape = text.charAt(at) === '\\';
    const character = readCharacter(text, at, isWhole);
    if (character === MORE || isHalf(text, at, isWhole)) return MORE;
    const code = isEscape ? codeOf(character) : (text.codePointAt(at) ?? 0);
    const one = String.fromCodePoint(code);
    const length = isEscape ? lengthOf(character) : one.length;
    const isQuoted = isEscape && one === frame.close && length > frame.depth + 1;
    if (at >= text.length || (!isQuoted && isEnd(one))) return 0;
    if (!isEscape && isFullStop(text, at, one, frame)) return 0;
    for (const byte of encoder.encode(one)) sink.push(byte);
    return length;
  };
  /** Brackets in a URL come in pairs; one too many closes what is around it. */
  const isEnd = (one: string): boolean => {
    if (one === '(') openBrackets += 1;
    if (one === ')' && openBrackets > 0) openBrackets -= 1;
    else if (one === ')') return frame.close !== '"' && frame.close !== "'";
    return endsUrl(one, frame);
  };

  return {
    read(text, start, isWhole) {
      let at = start;
      for (;;) {
        if (!isWhole && frame.close === '' && text.length - at < 2) break;
        const length = readOne(text, at, isWhole);
        if (length === MORE) break;
        if (length === 0) {
          isEnded = true;
          break;
        }
        at += length;
        characterCount += length;
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

/** A byte behind a percent sign, decoded once: `%2541` is `%41`. A sign with no digits behind it means itself. */
function readByte(text: string, at: number, isWhole: boolean, sink: ByteSink): number {
  const digits = text.slice(at + 1, at + 3);
  if (digits.length < 2 && !isWhole && /^[0-9a-f]*$/i.test(digits)) return MORE;
  const isByte = /^[0-9a-f]{2}$/i.test(digits);
  sink.push(isByte ? Number.parseInt(digits, 16) : PERCENT);
  return isByte ? 3 : 1;
}

const isHalf = (text: string, at: number, isWhole: boolean): boolean =>
  !isWhole && at === text.length - 1 && /[\ud800-\udbff]/.test(text.charAt(at));

function endsUrl(one: string, { close }: UrlFrame): boolean {
  if (one === '\n' || one === '\r' || (one === close && close !== ')')) return true;
  // Inside quotes, other quotes and blanks are part of it, as browsers take them.
  return close === '"' || close === "'" ? false : /[\s"'`<>\]}]/.test(one);
}

/** A sentence's own mark behind a URL that nothing closes. */
function isFullStop(text: string, at: number, one: string, { close }: UrlFrame): boolean {
  return close === '' && /[.,;:!?]/.test(one) && !/[^\s"'<>]/.test(text.charAt(at + 1));
}
