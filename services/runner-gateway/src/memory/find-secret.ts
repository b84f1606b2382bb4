/** Any text may contain a shorter one by chance. */
const MIN_LENGTH = 8;

/** Looks for values in bytes that come in chunks. */
export type SecretSearch = {
  /** Whether one of them ends in this chunk. */
  holds(chunk: Buffer): boolean;
};

/** Finds each value as it is, and as JSON escapes it. */
export function searchSecrets(secrets: readonly string[]): SecretSearch {
  const wanted = secrets.filter(({ length }) => length >= MIN_LENGTH);
  const needles = [...new Set(wanted.flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]))].map((value) =>
    Buffer.from(value),
  );
  const longest = Math.max(0, ...needles.map(({ length }) => length));
  let tail: Buffer = Buffer.alloc(0);
  return {
    holds(chunk) {
      if (longest === 0) return false;
      const seam = Buffer.concat([tail, chunk.subarray(0, longest - 1)]);
      const isFound = needles.some((needle) => chunk.includes(needle) || seam.includes(needle));
      tail = Buffer.from(
        chunk.length >= longest - 1 ? chunk.subarray(chunk.length - (longest - 1)) : seam.subarray(-(longest - 1)),
      );
      return isFound;
    },
  };
}
