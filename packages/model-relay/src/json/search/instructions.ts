// Instructions of WebAssembly by their opcodes (https://webassembly.github.io/spec/core/binary/instructions.html), as far as the search needs them.

export type Code = readonly number[];

export const TYPE_I32 = 0x7f;
export const TYPE_V128 = 0x7b;
const NO_TYPE = 0x40;

/** LEB128, without a sign. */
export function unsigned(value: number): Code {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

/** LEB128, with a sign. */
function signed(value: number): Code {
  return value >= -0x40 && value < 0x40 ? [value & 0x7f] : [(value & 0x7f) | 0x80, ...signed(value >> 7)];
}

export const get = (local: number): Code => [0x20, ...unsigned(local)];
export const set = (local: number, value: Code): Code => [...value, 0x21, ...unsigned(local)];
export const number = (value: number): Code => [0x41, ...signed(value | 0)];

const operate =
  (opcode: number) =>
  (left: Code, right: Code): Code => [...left, ...right, opcode];
export const isBelow = operate(0x49);
export const isAtLeast = operate(0x4f);
export const add = operate(0x6a);
export const subtract = operate(0x6b);
export const and = operate(0x71);
export const or = operate(0x72);
export const xor = operate(0x73);
export const shiftLeft = operate(0x74);
export const shiftRight = operate(0x76);
export const countTrailingZeros = (value: Code): Code => [...value, 0x68];
export const not = (value: Code): Code => xor(value, number(-1));
export const select = (isFirst: Code, first: Code, second: Code): Code => [...first, ...second, ...isFirst, 0x1b];

export const when = (condition: Code, then: Code, otherwise?: Code): Code => [
  ...[...condition, 0x04, NO_TYPE, ...then],
  ...(otherwise === undefined ? [] : [0x05, ...otherwise]),
  0x0b,
];
/** Repeats until `isOver` holds at the beginning. */
export const repeatUntil = (isOver: Code, body: Code): Code => [
  ...[0x02, NO_TYPE, 0x03, NO_TYPE, ...isOver, 0x0d, 1],
  ...[...body, 0x0c, 0, 0x0b, 0x0b],
];
export const giveBack = (value: Code): Code => [...value, 0x0f];

const vector = (opcode: number): Code => [0xfd, ...unsigned(opcode)];
/** Sixteen bytes of the memory at `address` + `offset`. */
export const load = (address: Code, offset: number): Code => [...address, ...vector(0), 0, ...unsigned(offset)];
/** One bit for each of sixteen bytes: whether it is one of these. */
export const flag = (bytes: Code, [first = 0, ...others]: readonly number[]): Code => [
  ...equal(bytes, first),
  ...others.flatMap((byte) => [...equal(bytes, byte), ...vector(0x50)]),
  ...vector(0x64),
];
const equal = (bytes: Code, byte: number): Code => [...bytes, ...number(byte), ...vector(0x0f), ...vector(0x23)];
