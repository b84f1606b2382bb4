/** A shorter key is none: servers without keys are given a word. */
const MIN_KEY_BYTES = 12;
const MASK = 0x2a;

/** Takes the provider's key out of an answer: asterisks take its place, so that no length changes. */
export type KeyMask = {
  maskHeader(value: string): string;
  /** Masks in place. Returns the part that may pass; the beginning of a key at the end of a chunk waits for the next one. */
  take(chunk: Buffer): Buffer;
  /** The bytes that still wait. */
  end(): Buffer;
};

const nothing = Buffer.alloc(0);

/** Finds the key as it is spelled, also where it comes in several chunks. */
export function createKeyMask(key: string | undefined): KeyMask {
  const wanted = Buffer.from(key ?? '');
  if (wanted.length < MIN_KEY_BYTES)
    return { maskHeader: (value) => value, take: (chunk) => chunk, end: () => nothing };
  const inHeaders = wanted.toString('latin1');
  let held: Buffer = nothing;
  return {
    maskHeader: (value) => value.replaceAll(inHeaders, '*'.repeat(inHeaders.length)),
    take(chunk) {
      const bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      maskKey(bytes, wanted);
      const end = bytes.length - countBegun(bytes, wanted);
      held = end === bytes.length ? nothing : Buffer.from(bytes.subarray(end));
      return bytes.subarray(0, end);
    },
    end() {
      const last = held;
      held = nothing;
      return last;
    },
  };
}

function maskKey(bytes: Buffer, wanted: Buffer): void {
  for (let at = bytes.indexOf(wanted); at !== -1; at = bytes.indexOf(wanted, at + wanted.length))
    bytes.fill(MASK, at, at + wanted.length);
}

/** How many bytes at the end are the beginning of a key. */
function countBegun(bytes: Buffer, wanted: Buffer): number {
  const first = wanted[0] ?? 0;
  const from = Math.max(0, bytes.length - wanted.length + 1);
  for (let at = bytes.indexOf(first, from); at !== -1; at = bytes.indexOf(first, at + 1)) {
    const length = bytes.length - at;
    if (bytes.subarray(at).equals(wanted.subarray(0, length))) return length;
  }
  return 0;
}
