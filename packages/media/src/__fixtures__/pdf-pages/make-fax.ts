/** Pixels of a side. */
const SIDE = 200;

// Codes of runs, and of the sign at the end.
const WHITE = { 0: '00110101', 4: '1011', 8: '10011', 200: '01011110011' };
const BLACK = { 0: '0000110111', 4: '011', 8: '000101' };
const RUNS = '001';
const AS_ABOVE = '1';
const END = '000000000001'.repeat(2);

/** A fax of Group 4 with short runs of black and white, and white rows below them. */
export function makeFax({ whiteRows = 0, withEnd = true } = {}): Buffer {
  const inked = Array.from({ length: SIDE - whiteRows }, (_, y) => writeRow(y));
  const white = whiteRows === 0 ? '' : `${RUNS}${WHITE[SIDE]}${BLACK[0]}${AS_ABOVE.repeat(whiteRows - 1)}`;
  const bits = `${inked.join('')}${white}${withEnd ? END : ''}`;
  const bytes = bits.padEnd(Math.ceil(bits.length / 8) * 8, '0').match(/.{8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)));
}

function writeRow(y: number): string {
  let bits = '';
  for (let x = 0; x < SIDE; ) {
    const white = Math.min((y * 7 + x) % 3 === 0 ? 4 : 8, SIDE - x) as 4 | 8;
    const black = Math.min((y * 5 + x) % 4 === 0 ? 4 : 8, SIDE - x - white) as 0 | 4 | 8;
    bits += `${RUNS}${WHITE[white]}${BLACK[black]}`;
    x += white + black;
  }
  return bits;
}
