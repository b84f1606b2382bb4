import { BACKSLASH, QUOTE } from '../json-bytes.ts';
import {
  add,
  and,
  type Code,
  countTrailingZeros,
  flag,
  get,
  giveBack,
  isAtLeast,
  isBelow,
  load,
  not,
  number,
  or,
  repeatUntil,
  select,
  set,
  shiftLeft,
  shiftRight,
  subtract,
  when,
  xor,
} from './instructions.ts';
import { writeModule } from './write-module.ts';

// Looks at sixteen bytes at a time, which JavaScript cannot. Where escapes are dense this takes a third of the time that a search in numbers of
// four bytes does.

const STEP_BYTES = 16;
const EVEN = 0x55555555;
const LETTER_N = 0x6e;
/** Letters that need no look of their own after a backslash. */
const SHORT = Buffer.from('bfrt');

const [from, to, isEscaped, wantsEscapes, wantsLines] = [0, 1, 2, 3, 4].map(get) as [Code, Code, Code, Code, Code];
const FROM = 0;
const IS_ESCAPED = 2;
const [COUNT, QUOTES, BACKSLASHES, BEHIND, ESCAPED, FOUND] = [5, 6, 7, 8, 9, 10];
const [BYTES, NEXT] = [11, 12];

/**
 * Finds the escaped bytes, one after the searched ones included, from the places of the backslashes: every second one of a run of them, and the byte after an
 * odd run.
 */
const findEscaped: Code = [
  ...set(BACKSLASHES, and(get(BACKSLASHES), not(isEscaped))),
  ...set(BEHIND, or(shiftLeft(get(BACKSLASHES), number(1)), isEscaped)),
  ...set(ESCAPED, add(and(and(get(BACKSLASHES), number(~EVEN)), not(get(BEHIND))), get(BACKSLASHES))),
  ...set(ESCAPED, and(xor(shiftLeft(get(ESCAPED), number(1)), number(EVEN)), get(BEHIND))),
];

const valid = subtract(shiftLeft(number(1), get(COUNT)), number(1));

/** Finds escaped bytes that are neither a quote, nor a backslash, nor a letter that may be passed. */
function findWantedEscapes(lineHeads: readonly number[]): Code {
  const others = and(and(get(ESCAPED), valid), not(flag(get(BYTES), [QUOTE, BACKSLASH])));
  const plainLines = and(flag(get(BYTES), [LETTER_N]), not(and(flag(get(NEXT), lineHeads), wantsLines)));
  return [
    ...set(BEHIND, others),
    ...when(get(BEHIND), [
      ...set(NEXT, load(from, 1)),
      ...set(BEHIND, and(get(BEHIND), not(flag(get(BYTES), [...SHORT])))),
      ...set(FOUND, or(get(FOUND), and(get(BEHIND), not(plainLines)))),
    ]),
  ];
}

const search = (lineHeads: readonly number[]): Code => [
  ...repeatUntil(isAtLeast(from, to), [
    ...set(COUNT, subtract(to, from)),
    ...set(COUNT, select(isBelow(get(COUNT), number(STEP_BYTES)), get(COUNT), number(STEP_BYTES))),
    ...set(BYTES, load(from, 0)),
    ...set(QUOTES, and(flag(get(BYTES), [QUOTE]), valid)),
    ...set(BACKSLASHES, and(flag(get(BYTES), [BACKSLASH]), valid)),
    ...when(
      or(get(BACKSLASHES), isEscaped),
      [
        ...findEscaped,
        ...set(FOUND, and(get(QUOTES), not(get(ESCAPED)))),
        ...when(wantsEscapes, findWantedEscapes(lineHeads)),
        ...set(IS_ESCAPED, and(shiftRight(get(ESCAPED), get(COUNT)), number(1))),
      ],
      set(FOUND, get(QUOTES)),
    ),
    ...when(get(FOUND), giveBack(add(from, countTrailingZeros(get(FOUND))))),
    ...set(FROM, add(from, get(COUNT))),
  ]),
  ...subtract(number(-1), isEscaped),
];

export type StringSearch = {
  /** The memory for the bytes to search. The search reads one byte after them, and looks at up to sixteen. */
  readonly memory: Uint8Array;
  /**
   * Finds the first unescaped quote from `from` on to before `to`. With `wantsEscapes` (1) also the first escaped byte that is none of `"\bfnrt`; with
   * `wantsLines` (-1) also the first `n` that is followed by one of the line heads. -1: there is none; -2: there is none, and the next byte is escaped.
   */
  search(from: number, to: number, isEscaped: number, wantsEscapes: number, wantsLines: number): number;
};

/** The part of it that is used here: Node's types do not have it. */
type Engine = {
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  readonly Instance: new (
    module: object,
  ) => {
    readonly exports: { readonly memory: { readonly buffer: ArrayBuffer }; readonly search: StringSearch['search'] };
  };
};
const { Module, Instance } = (globalThis as unknown as { readonly WebAssembly: Engine }).WebAssembly;

/** `sizeBytes`: of what is searched at once. */
export function createStringSearch(sizeBytes: number, lineHeads: readonly number[]): StringSearch {
  const pages = Math.ceil((sizeBytes + STEP_BYTES + 1) / 65_536);
  const parts = { parameters: 5, locals: { i32: 6, v128: 2 }, code: search(lineHeads), pages };
  const { memory, search: run } = new Instance(new Module(writeModule(parts))).exports;
  return { memory: new Uint8Array(memory.buffer), search: run };
}
