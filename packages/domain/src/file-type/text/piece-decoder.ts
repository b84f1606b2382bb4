/** Decodes text in pieces. Drops a byte order mark. */
export type PieceDecoder = { decode(chunk?: Uint8Array, options?: { stream?: boolean }): string };

/** The fate of bytes that are no text: an error that `isDecodingError` knows, or U+FFFD. */
export type Faults = 'throw' | 'replace';
