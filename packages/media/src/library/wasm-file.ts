import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** Memory of a decoder in WebAssembly. `bytes` must be asked for again after each call into it: growing replaces them. */
export type WasmMemory = {
  allocate(sizeBytes: number): number;
  bytes(): Uint8Array;
};

/** A file's bytes inside such memory. */
export type PlacedFile = { pointer: number; sizeBytes: number };

/** Copies a file straight into a decoder's memory; undefined where it has no room. Free its pointer afterwards. */
export function placeFile(path: string, memory: WasmMemory): PlacedFile | undefined {
  const file = openSync(path, 'r');
  try {
    const sizeBytes = fstatSync(file).size;
    const pointer = memory.allocate(sizeBytes);
    if (pointer === 0) return undefined;
    const target = memory.bytes().subarray(pointer, pointer + sizeBytes);
    let offset = 0;
    for (let length = -1; length !== 0 && offset < sizeBytes; offset += length) {
      length = readSync(file, target, offset, sizeBytes - offset, offset);
    }
    return { pointer, sizeBytes: offset };
  } finally {
    closeSync(file);
  }
}
