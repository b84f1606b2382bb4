const SEED = 20_261_122;
const HIDDEN = '61tt_ABEiM0RVZneImaq7zN3u_w';
const ESCAPES = ['%', '\\', '%25', '%5c', '%41', '%2a', '\\u0025', '\\u005c', '\\u0061', 'u005c', 'u0075', '25', '5c'];
const LETTERS = ['att_', 'a', 't', '_', 'A', 'Q', '0', '2', '5', 'u', ' ', '"'];

/** Mulberry32: numbers from 0 up to and without 1, the same in every run. */
function createDraw(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** `length` characters of `pieces`, drawn one after the other. */
function drawText(pieces: readonly string[], length: number): string {
  const draw = createDraw(SEED);
  const drawn: string[] = [];
  for (let drawnLength = 0; drawnLength < length; drawnLength += drawn.at(-1)?.length ?? 1) {
    drawn.push(pieces[Math.floor(draw() * pieces.length)] ?? '');
  }
  return drawn.join('').slice(0, length);
}

const fill = (piece: string, length: number): string => piece.repeat(Math.ceil(length / piece.length)).slice(0, length);

/** Texts that are dear to scan for whoever looks at each layer of escapes in turn, or at each `att_` alone, by what they hold. */
export const hostileTexts: Readonly<Record<string, (length: number) => string>> = {
  'percent signs escaped again and again': (length) => `%${fill('25', length & ~1)}${HIDDEN}`,
  'backslashes escaped again and again': (length) => `\\${'u005c'.repeat(length / 5)}u00${HIDDEN}`,
  'each escaped by the other': (length) => fill('%5cu0025', length),
  'att_att_…': (length) => fill('att_', length),
  'ids that lie in each other': (length) => drawText(['att_A', 'att_Q', 'att_g', 'att_w'], length),
  'one id after the other, in escapes': (length) => fill(`%${HIDDEN}`, length),
  'many escapes, a word each': (length) => fill('%41 ', length),
  'escapes of letters': (length) => drawText(['%41', '%61', '%5f', '\\u0041', '\\u0061', '\\u005f'], length),
  'escapes that break off': (length) => drawText(['%2x', '\\u00x', '%x', '\\x', '%41'], length),
  'percent signs': (length) => `%41${fill('%', length)}`,
  backslashes: (length) => `\\u0041${fill('\\', length)}`,
  'escapes of every kind': (length) => drawText(ESCAPES, length),
  'escapes among letters of ids': (length) => drawText([...ESCAPES, ...LETTERS], length),
  'escapes to be read in two ways': (length) => fill('att_\\\\u00750061', length),
};
