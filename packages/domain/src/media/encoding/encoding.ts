import type { MediaProbe } from '../file/media-probe.ts';

/** Base64 that is no media stays in the text up to this. */
export const MAX_BASE64_CHARACTERS = 16 * 1024;

/** Reads one spelling of bytes, as it comes. */
export type Encoding = {
  /**
   * Reads on at `at` and returns where it stopped: at the end of the encoding, or where it needs more of the text, which it must then be given
   * from there on. `isWhole` says that no more will come.
   */
  read(text: string, at: number, isWhole: boolean): number;
  readonly isEnded: boolean;
  /** Characters that encode bytes, read so far. */
  readonly characterCount: number;
  /** The characters of an incomplete byte at the end: they stay text. */
  readonly rest: string;
};

/** The receiver of decoded bytes. Bytes that have been taken are forgotten. */
export type ByteSink = {
  push(byte: number): void;
  /** Lets the probe see what it has not seen yet. */
  show(): void;
  take(): Uint8Array;
  readonly probe: MediaProbe;
};

const FIRST_CAPACITY = 64;

export function createByteSink(probe: MediaProbe): ByteSink {
  let bytes = new Uint8Array(FIRST_CAPACITY);
  let length = 0;
  let shown = 0;
  const show = () => {
    if (shown < length) probe.push(bytes.subarray(shown, length));
    shown = length;
  };
  return {
    push(byte) {
      if (length === bytes.length) {
        const larger = new Uint8Array(bytes.length * 4);
        larger.set(bytes);
        bytes = larger;
      }
      bytes[length] = byte;
      length += 1;
    },
    show,
    take() {
      show();
      const taken = bytes.slice(0, length);
      length = 0;
      shown = 0;
      return taken;
    },
    probe,
  };
}
