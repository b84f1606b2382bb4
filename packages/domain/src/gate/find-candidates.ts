/** Characters of an attachment id: `att_` and 16 bytes as base64url. */
export const ID_LENGTH = 26;

const PREFIX_LENGTH = 4;
const LAST = ID_LENGTH - PREFIX_LENGTH;

// By code unit: 1 for a character of an id, 2 for one that may end it too. The last of the 22 holds two bits of the 128; a change of
// letter case is a candidate, too.
const idCharacters = new Uint8Array(128);
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-')
  idCharacters[character.charCodeAt(0)] = 'AQGWaqgw'.includes(character) ? 2 : 1;

export const isIdCharacter = (code: number): boolean => code < 128 && idCharacters[code] !== 0;
export const endsId = (code: number): boolean => code < 128 && idCharacters[code] === 2;

/** Adds whatever is spelled like an attachment id, in any letter case, at every offset of `text`, as it stands there; beyond `maxCount`, no more. */
export function findCandidates(text: string, found: Set<string>, maxCount: number): void {
  let readTo = 0;
  // No prefix has two underscores, so that the next one that may end a prefix is four characters on.
  for (let at = text.indexOf('_'); at >= 0 && found.size <= maxCount; at = text.indexOf('_', at + PREFIX_LENGTH)) {
    if (!endsId(text.charCodeAt(at + LAST)) || !isPrefix(text, at)) continue;
    readTo = skipIdCharacters(text, Math.max(at + 1, readTo), at + LAST);
    if (readTo < at + LAST) continue;
    found.add(text.slice(at + 1 - PREFIX_LENGTH, at + 1 + LAST));
  }
}

/** The first index that holds no character of an id, or `to`. Ids may lie in each other: no character is looked at twice. */
function skipIdCharacters(text: string, from: number, to: number): number {
  let index = from;
  while (index < to && isIdCharacter(text.charCodeAt(index))) index += 1;
  return index;
}

const LOWER = 0x20;
const A = 0x61;
const T = 0x74;

function isPrefix(text: string, at: number): boolean {
  return (
    (text.charCodeAt(at - 1) | LOWER) === T &&
    (text.charCodeAt(at - 2) | LOWER) === T &&
    (text.charCodeAt(at - 3) | LOWER) === A
  );
}
