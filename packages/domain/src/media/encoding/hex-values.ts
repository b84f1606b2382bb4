/** A character that is no hexadecimal digit. */
export const NO_DIGIT = 16;

/** The value of each character code. */
export const hexValues = new Uint8Array(65_536).fill(NO_DIGIT);
for (const [value, digit] of Array.from('0123456789abcdef').entries()) {
  hexValues[digit.charCodeAt(0)] = value;
  hexValues[digit.toUpperCase().charCodeAt(0)] = value;
}
