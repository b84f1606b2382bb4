/** A character that is none of base64. */
export const NO_VALUE = 64;

const shared = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** The value of each character code, in an alphabet that begins with letters and digits and ends with `last`. */
function valuesOf(last: string): Uint8Array {
  const values = new Uint8Array(65_536).fill(NO_VALUE);
  for (const [value, character] of Array.from(shared + last).entries()) values[character.charCodeAt(0)] = value;
  return values;
}

/** Letters and digits alone: what the text has shown so far may be of either alphabet. */
export const sharedValues = valuesOf('');
export const standardValues = valuesOf('+/');
export const urlSafeValues = valuesOf('-_');

/** Values for both alphabets. */
export const base64Values = valuesOf('+/');
base64Values['-'.charCodeAt(0)] = 62;
base64Values['_'.charCodeAt(0)] = 63;
