import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const windowBytes = 64 * 1024;

/** Whole file in pieces, in order. A piece is overwritten by the next. Blocking is fine here: a worker does one thing at a time. */
export function* readChunks(path: string): Generator<Buffer> {
  const file = openSync(path, 'r');
  try {
    const window = Buffer.allocUnsafe(windowBytes);
    for (;;) {
      const length = readSync(file, window);
      if (length === 0) return;
      yield window.subarray(0, length);
    }
  } finally {
    closeSync(file);
  }
}

/** The first bytes of a file, at most 64 KiB. */
export function readHead(path: string): Buffer {
  for (const chunk of readChunks(path)) return chunk;
  return Buffer.alloc(0);
}

export type RandomAccess = {
  sizeBytes: number;
  /** Byte at this offset; -1 beyond the end. */
  byteAt(offset: number): number;
  /** First offset at or after `from` that holds this byte; -1 when there is none. */
  findByte(byte: number, from: number): number;
  /** Bytes from `offset`, at most 64 KiB; fewer at the end. Overwritten by the next call of any kind. */
  bytesAt(offset: number, length: number): Buffer;
  close(): void;
};

/** Reads single bytes of a file of any size through one window of 64 KiB. */
export function openRandomAccess(path: string): RandomAccess {
  const file = openSync(path, 'r');
  const window = Buffer.allocUnsafe(windowBytes);
  let start = 0;
  let length = 0;

  function load(offset: number): boolean {
    if (offset >= start && offset < start + length) return true;
    length = readSync(file, window, 0, windowBytes, offset);
    start = offset;
    return length > 0;
  }

  return {
    sizeBytes: fstatSync(file).size,
    byteAt: (offset) => (load(offset) ? (window[offset - start] ?? -1) : -1),
    findByte(byte, from) {
      for (let offset = from; load(offset); offset = start + length) {
        const found = window.subarray(0, length).indexOf(byte, offset - start);
        if (found >= 0) return start + found;
      }
      return -1;
    },
    bytesAt(offset, wanted) {
      const last = offset + wanted - 1;
      if (offset < start || last >= start + length) {
        length = readSync(file, window, 0, windowBytes, offset);
        start = offset;
      }
      return window.subarray(offset - start, Math.min(last + 1 - start, length));
    },
    close: () => closeSync(file),
  };
}
