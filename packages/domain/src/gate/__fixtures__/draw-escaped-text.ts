/** Draws a number from 0 up to and without 1; the same ones for the same seed. */
export type Draw = () => number;

/** Mulberry32. */
export function createDraw(seed: number): Draw {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const idCharacters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-'];
/** Characters that escapes are spelled with, so that an escape may begin or end inside the id. */
const escapeCharacters = [...'au0123456789cACu5'];
const fragments =
  '% \\ u 0 2 5 c C %2 %25 \\u00 \\u000 \\\\ \\u005c %5c u005c %75 \\u0075 att_ a A n " \\u0025 5c 7 61'.split(' ');
const shares = [0, 0.02, 0.05, 0.1, 0.2, 0.5, 1];

/** An id in layers of escapes of any kind, well made or broken, of at most `maxLength` characters. */
export function drawEscapedText(draw: Draw, maxLength: number): string {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(draw() * items.length)] as T;
  const drawFragments = () => Array.from({ length: Math.floor(draw() * 8) }, () => pick(fragments)).join('');
  const share = pick(shares);
  let text = drawId(pick, draw() < 0.5 ? idCharacters : escapeCharacters);
  for (let layers = Math.floor(draw() * 6); layers > 0; layers -= 1) {
    const escaped = escapeSome(text, { draw, share, kind: pick(['percent', 'json', 'mixed']) });
    if (escaped.length > maxLength) break;
    const at = Math.floor(draw() * escaped.length);
    text = draw() < 0.2 ? `${escaped.slice(0, at)}${drawFragments()}${escaped.slice(at)}` : escaped;
  }
  const before = draw() < 0.4 ? drawFragments() : '';
  return `${before}${text}${drawFragments()}`.slice(0, maxLength);
}

function drawId(pick: <T>(items: readonly T[]) => T, characters: readonly string[]): string {
  const rest = Array.from({ length: 22 }, () => pick(characters));
  // Those that tell a random uuid.
  rest[8] = pick([...'QRST']);
  rest[10] = pick([...'aC26']);
  return `${pick(['att_', 'att_', 'att_', 'aTt_'])}${rest.join('')}`;
}

type Way = { draw: Draw; share: number; kind: 'percent' | 'json' | 'mixed' };

/** Escapes some characters and, but for few, those that begin an escape. */
function escapeSome(text: string, { draw, share, kind }: Way): string {
  return Array.from(text, (character) => {
    const isPercent = kind === 'percent' || (kind === 'mixed' && draw() < 0.5);
    const isIntroducer = kind !== 'mixed' && character === (isPercent ? '%' : '\\') && draw() < 0.97;
    if (!isIntroducer && draw() >= share) return character;
    if (isPercent) return `%${toHex(character, 2, draw)}`;
    return isIntroducer && draw() < 0.5 ? '\\\\' : `\\u${toHex(character, 4, draw)}`;
  }).join('');
}

function toHex(character: string, digits: number, draw: Draw): string {
  const hex = character.charCodeAt(0).toString(16).padStart(digits, '0');
  return draw() < 0.3 ? hex.toUpperCase() : hex;
}
