import { writeFileSync } from 'node:fs';
import path from 'node:path';

const HEADERS_BYTES = 84;
const BASE = 0x400000;
const PAGE_BYTES = 0x1000;

// The name of the processor's 32-bit mode in an ELF file, and its code for exit(code).
const machines = {
  x64: {
    ...{ machine: 3, flags: 0 },
    // mov eax, 1; mov ebx, code; int 0x80
    exit: (code: number) => [0xb8, 1, 0, 0, 0, 0xbb, code, 0, 0, 0, 0xcd, 0x80],
  },
  arm64: {
    ...{ machine: 40, flags: 0x05000000 },
    // mov r0, #code; mov r7, #1; svc #0
    exit: (code: number) => [code, 0, 0xa0, 0xe3, 1, 0x70, 0xa0, 0xe3, 0, 0, 0, 0xef],
  },
} as const;

/** Writes a program for the 32-bit mode of this processor that ends with `code`; answers its path. */
export function writeForeignProgram(folder: string, code: number): string {
  const { machine, flags, exit } = machines[process.arch === 'arm64' ? 'arm64' : 'x64'];
  const instructions = exit(code);
  const sizeBytes = HEADERS_BYTES + instructions.length;
  const file = Buffer.alloc(sizeBytes);
  // 32-bit, little-endian, version 1; the entry is right after the headers.
  Buffer.from([0x7f, 0x45, 0x4c, 0x46, 1, 1, 1]).copy(file);
  const halves = [2, machine];
  for (const [index, value] of halves.entries()) file.writeUInt16LE(value, 16 + 2 * index);
  const words = [1, BASE + HEADERS_BYTES, 52, 0, flags];
  for (const [index, value] of words.entries()) file.writeUInt32LE(value, 20 + 4 * index);
  for (const [index, value] of [52, 32, 1, 40, 0, 0].entries()) file.writeUInt16LE(value, 40 + 2 * index);
  // One segment that holds all of it, to be read and run.
  const segment = [1, 0, BASE, BASE, sizeBytes, sizeBytes, 5, PAGE_BYTES];
  for (const [index, value] of segment.entries()) file.writeUInt32LE(value, 52 + 4 * index);
  Buffer.from(instructions).copy(file, HEADERS_BYTES);
  const program = path.join(folder, 'foreign');
  writeFileSync(program, file, { mode: 0o755 });
  return program;
}
