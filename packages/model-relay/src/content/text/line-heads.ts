/** The bytes with which a line begins that may be one of a frame: `F`, `[` and `<`. */
export const lineHeads: readonly number[] = [0x46, 0x5b, 0x3c];
