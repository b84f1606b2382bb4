/** Arguments above one of these limits are not scanned to their end, and the call is denied. */
export type ScanLimits = {
  /** Objects and arrays inside one another. */
  maxDepth: number;
  /** Values of objects and arrays. */
  maxValues: number;
  /** Different spellings that look like an attachment id. */
  maxCandidates: number;
  /** Characters of all keys and texts. */
  maxTextLength: number;
  /** Escapes inside one another that are not complete. */
  maxOpenEscapes: number;
  /** Characters that are decoded layer by layer, where escapes can be read in more than one way. */
  maxLayeredLength: number;
};

export const scanLimits: ScanLimits = {
  maxDepth: 64,
  maxValues: 200_000,
  maxCandidates: 10_000,
  maxTextLength: 32 * 1024 * 1024,
  maxOpenEscapes: 1_024,
  maxLayeredLength: 16 * 1024,
};
