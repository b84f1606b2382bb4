const PERCENT = 0x25;
const BACKSLASH = 0x5c;
const LOWER_U = 0x75;
/** The maximum of codes for the arguments of one call. */
const CHUNK = 4096;

const hexValues = new Int8Array(128).fill(-1);
for (const [value, digit] of Array.from('0123456789abcdef').entries()) {
  hexValues[digit.charCodeAt(0)] = value;
  hexValues[digit.toUpperCase().charCodeAt(0)] = value;
}

const shortEscapes = new Int8Array(128).fill(-1);
for (const [letter, meaning] of Object.entries({ b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', '\\': '\\' })) {
  shortEscapes[letter.charCodeAt(0)] = meaning.charCodeAt(0);
}

/** Percent-encoding undone once: one character for each byte, which is right for ASCII. What is not well encoded stays as it is. */
export function decodePercent(text: string): string {
  const codes = new Uint16Array(text.length);
  let length = 0;
  for (let index = 0; index < text.length; length += 1) {
    const code = text.charCodeAt(index);
    const byte = code === PERCENT ? readHex(text, index + 1, 2) : -1;
    codes[length] = byte < 0 ? code : byte;
    index += byte < 0 ? 1 : 3;
  }
  return textOf(codes, length);
}

/** The escapes of a JSON string undone once, but for `\"` and `\/`, which no id is near. What is no escape stays as it is. */
export function decodeJsonEscapes(text: string): string {
  const codes = new Uint16Array(text.length);
  let length = 0;
  for (let index = 0; index < text.length; length += 1) {
    const code = text.charCodeAt(index);
    const unit = code === BACKSLASH ? readJsonEscape(text, index) : -1;
    codes[length] = unit < 0 ? code : unit;
    index += unit < 0 ? 1 : text.charCodeAt(index + 1) === LOWER_U ? 6 : 2;
  }
  return textOf(codes, length);
}

/** The code unit that the escape at `index` means, or less than 0 where there is none. */
function readJsonEscape(text: string, index: number): number {
  const letter = text.charCodeAt(index + 1);
  return letter === LOWER_U ? readHex(text, index + 2, 4) : (shortEscapes[letter] ?? -1);
}

function readHex(text: string, start: number, digits: number): number {
  let value = 0;
  for (let index = start; index < start + digits; index += 1) {
    const digit = hexValues[text.charCodeAt(index)] ?? -1;
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

function textOf(codes: Uint16Array, length: number): string {
  let text = '';
  for (let start = 0; start < length; start += CHUNK) {
    text += Reflect.apply(String.fromCharCode, undefined, codes.subarray(start, Math.min(length, start + CHUNK)));
  }
  return text;
}
