const INSTRUCTION_BYTES = 8;

/** Beginning of a `struct seccomp_data`. */
export type CallFacts = { number: number; architecture: number; firstArgument?: number };

/** Runs a classic BPF program as the kernel would, and answers what it returns. Knows the instructions that filters here are made of. */
export function runFilter(program: Buffer, { number, architecture, firstArgument = 0 }: CallFacts): number {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number >>> 0, 0);
  data.writeUInt32LE(architecture >>> 0, 4);
  data.writeUInt32LE(firstArgument >>> 0, 16);
  let word = 0;
  for (let place = 0; place < program.length; place += INSTRUCTION_BYTES) {
    const code = program.readUInt16LE(place);
    const operand = program.readUInt32LE(place + 4);
    const jump = (isTaken: boolean) => program.readUInt8(place + (isTaken ? 2 : 3)) * INSTRUCTION_BYTES;
    if (code === 0x06) return operand;
    else if (code === 0x20) word = data.readUInt32LE(operand);
    else if (code === 0x15) place += jump(word === operand);
    else if (code === 0x35) place += jump(word >= operand);
    else throw new Error(`instruction 0x${code.toString(16)} is not known here`);
  }
  throw new Error('the filter ended without an answer');
}
