/** As inspection reads it: what it says of a beginning depends on how much of it there is. */
const headBytes = 64 * 1024;

/** Collects the first 64 KiB of a file that passes; `add` answers what is beyond them. */
export function createFileHead() {
  let bytes = new Uint8Array(4096);
  let length = 0;
  return {
    isFull: () => length === headBytes,
    add(more: Uint8Array): Uint8Array {
      const taken = more.subarray(0, headBytes - length);
      if (length + taken.length > bytes.length) {
        const wider = new Uint8Array(headBytes);
        wider.set(bytes.subarray(0, length));
        bytes = wider;
      }
      bytes.set(taken, length);
      length += taken.length;
      return more.subarray(taken.length);
    },
    /** Once: it is kept no longer. */
    take(): Uint8Array {
      const head = bytes.subarray(0, length);
      bytes = new Uint8Array(0);
      return head;
    },
  };
}
