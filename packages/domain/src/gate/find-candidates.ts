import { createKnownSpellings, isKnownSpelling, type KnownSpellings } from './known-spellings.ts';

/** Characters of an attachment id: `att_` and 16 bytes as base64url. */
export const ID_LENGTH = 26;

const PREFIX_LENGTH = 4;
const LAST = ID_LENGTH - PREFIX_LENGTH;

// For each code unit, 1 if it is a character of an id. The last of the 22 characters holds two bits of the 128. A lenient decoder takes any letter there, so
// that all are candidates.
const idCharacters = new Uint8Array(128);
const sixBits = new Uint8Array(128);
for (const [index, character] of [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'].entries()) {
  idCharacters[character.charCodeAt(0)] = 1;
  sixBits[character.charCodeAt(0)] = index;
}

export const isIdCharacter = (code: number): boolean => code < 128 && idCharacters[code] !== 0;

// Each attachment has a random uuid of version 4, whose version and variant show in two of the 22 characters. Words of programs that begin with `att_`,
// such as `att_network_subscriber_identifier`, have others there.
export const VERSION_AT = 8;
export const VARIANT_AT = 10;
const Q = 0x51;

/** Whether these may be the characters at `VERSION_AT` and `VARIANT_AT` of the 22: one of `QRST`, and one whose last two bits are 10. */
export const isIdShape = (version: number, variant: number): boolean =>
  version >= Q && version < Q + 4 && ((sixBits[variant] ?? 0) & 3) === 2;

// From so many in a long text on, those that were seen before are known again without cutting them out.
const MANY = 64;
const LONG_LENGTH = 8_192;

/** Adds whatever is spelled like an attachment id at every offset of `text`, as it is there; beyond `maxCount`, no more. */
export function findCandidates(text: string, found: Set<string>, maxCount: number): void {
  let known: KnownSpellings | undefined;
  let count = 0;
  let readTo = 0;
  // No prefix has two underscores, so that the next one that may end a prefix is four characters on.
  for (let at = text.indexOf('_'); at >= 0 && found.size <= maxCount; at = text.indexOf('_', at + PREFIX_LENGTH)) {
    const last = at + LAST;
    if (!isIdCharacter(text.charCodeAt(last)) || !isPrefix(text, at)) continue;
    if (!isIdShape(text.charCodeAt(at + 1 + VERSION_AT), text.charCodeAt(at + 1 + VARIANT_AT))) continue;
    readTo = readIdCharacters(text, Math.max(at + 1, readTo), last, known?.codes);
    if (readTo <= last) continue;
    if (known && isKnownSpelling(known, text, at)) continue;
    found.add(text.slice(at + 1 - PREFIX_LENGTH, last + 1));
    count += 1;
    if (count !== MANY || text.length < LONG_LENGTH) continue;
    known = createKnownSpellings(text.length);
    readTo = 0;
  }
}

/** The first index from `from` on that holds no character of an id, or the one after `last`. Ids may overlap: no character is read twice. */
function readIdCharacters(text: string, from: number, last: number, codes: Uint8Array | undefined): number {
  let index = from;
  for (; index <= last; index += 1) {
    const code = text.charCodeAt(index);
    if (!isIdCharacter(code)) break;
    if (codes) codes[index] = sixBits[code] ?? 0;
  }
  return index;
}

const A = 0x61;
const T = 0x74;

function isPrefix(text: string, at: number): boolean {
  return text.charCodeAt(at - 1) === T && text.charCodeAt(at - 2) === T && text.charCodeAt(at - 3) === A;
}
