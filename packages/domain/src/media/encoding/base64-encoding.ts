import { isMixed, isWordy, type LinePreview, previewLine } from '../preview-line.ts';
import { base64Values, NO_VALUE, sharedValues, standardValues, urlSafeValues } from './base64-values.ts';
import type { ByteSink, Encoding } from './encoding.ts';
import { goesOn, type Lines, type Structure } from './goes-on.ts';
import { codeOf, isBlank, lengthOf, MORE, readCharacter, readGap } from './read-character.ts';

/** The details by which the text can be spelled again from its bytes. `lineWidth` is 0 for one line. */
export type Base64Spelling = {
  alphabet: 'base64' | 'base64url';
  isPadded: boolean;
  lineWidth: number;
  lineBreak: string;
};

export type Base64Encoding = Encoding & {
  /** From now on it ends where spelling its bytes again would give other characters. */
  endWhereIrregular(): void;
  /** Undefined if the text that was read is not what an encoder would write. */
  readonly spelling: Base64Spelling | undefined;
};

type State = {
  values: Uint8Array;
  bits: number;
  /** Characters of a group of four. */
  phase: number;
  group: string;
  isInUrl: boolean;
  isStrict: boolean;
  isRegular: boolean;
  isPadded: boolean;
  isEnded: boolean;
  lineBreak: string | undefined;
  lineUnits: number;
  lines: Lines;
  count: number;
};

const EQUALS = 0x3d;
const INDENT = /[ \t]$/;
/** Characters between two blanks of a data URL; fewer may be a word behind it. */
const MIN_PART = 16;
const noBytes = new Uint8Array(0);

/**
 * Base64 of either alphabet, padded or not, over line breaks and escapes. In a data URL blanks may part it as line breaks do: whoever reads one leaves them
 * out.
 */
export function createBase64Encoding(sink: ByteSink, { isInUrl = false } = {}): Base64Encoding {
  const state: State = {
    values: sharedValues,
    bits: 0,
    phase: 0,
    group: '',
    isInUrl,
    isStrict: false,
    isRegular: true,
    isPadded: true,
    isEnded: false,
    lineBreak: undefined,
    lineUnits: 0,
    lines: { count: 0, width: 0, lastUnits: 0, isIndented: false },
    count: 0,
  };
  return {
    read(text, start, isWhole) {
      let at = start;
      while (!state.isEnded) {
        at = readPlain(text, at, state, sink);
        const next = readOther(text, at, isWhole, state, sink);
        if (next === MORE) break;
        at = next;
      }
      sink.show();
      return at;
    },
    endWhereIrregular() {
      state.isStrict = true;
    },
    get isEnded() {
      return state.isEnded;
    },
    get characterCount() {
      return state.count;
    },
    get rest() {
      return state.group;
    },
    get spelling() {
      const { lines, lineBreak = '', isPadded } = state;
      const lineWidth = lines.count === 0 ? 0 : lines.width;
      const isTooLong = lines.count > 0 && state.lineUnits > lineWidth;
      if (!state.isRegular || isTooLong || lineWidth % 4 !== 0) return undefined;
      const alphabet = state.values === urlSafeValues ? ('base64url' as const) : ('base64' as const);
      return { alphabet, isPadded, lineWidth, lineBreak };
    },
  };
}

/** Reads characters without a special meaning. */
function readPlain(text: string, from: number, state: State, sink: ByteSink): number {
  const { values } = state;
  const room = state.isStrict && state.lines.count > 0 ? state.lines.width - state.lineUnits : text.length;
  const to = Math.min(text.length, from + room);
  let at = from;
  while (at < to) {
    if (state.phase === 0 && at + 4 <= to) {
      const a = values[text.charCodeAt(at)] ?? NO_VALUE;
      const b = values[text.charCodeAt(at + 1)] ?? NO_VALUE;
      const c = values[text.charCodeAt(at + 2)] ?? NO_VALUE;
      const d = values[text.charCodeAt(at + 3)] ?? NO_VALUE;
      if ((a | b | c | d) < NO_VALUE) {
        sink.push((a << 2) | (b >> 4));
        sink.push(((b & 15) << 4) | (c >> 2));
        sink.push(((c & 3) << 6) | d);
        at += 4;
        continue;
      }
    }
    const value = values[text.charCodeAt(at)] ?? NO_VALUE;
    if (value === NO_VALUE) break;
    takeValue(value, text.charAt(at), state, sink);
    at += 1;
  }
  state.count += at - from;
  state.lineUnits += at - from;
  return at;
}

function takeValue(value: number, spelled: string, state: State, sink: ByteSink): void {
  state.bits = ((state.bits << 6) | value) & 0xffffff;
  state.phase = (state.phase + 1) % 4;
  state.group = state.phase === 0 ? '' : state.group + spelled;
  if (state.phase !== 0) return;
  sink.push(state.bits >> 16);
  sink.push((state.bits >> 8) & 0xff);
  sink.push(state.bits & 0xff);
}

/** Reads a character with a special meaning: an escape, the first character of one alphabet, padding, a gap, the end. */
function readOther(text: string, at: number, isWhole: boolean, state: State, sink: ByteSink): number {
  const character = readCharacter(text, at, isWhole);
  if (character === MORE) return MORE;
  const [code, length] = [codeOf(character), lengthOf(character)];
  if (length > 0 && isBlank(code)) return readOverGap(text, at, isWhole, state, sink);
  if (code === EQUALS && state.phase >= 2) return readPadding(text, at, isWhole, state, sink);
  const value = length === 0 ? NO_VALUE : (base64Values[code] ?? NO_VALUE);
  const isMisplaced = value === NO_VALUE || (state.isStrict && (length > 1 || isLineFull(state)));
  if (isMisplaced || !fitsAlphabet(code, value, state)) return end(at, state, sink);
  if (length > 1) state.isRegular = false;
  takeValue(value, text.slice(at, at + length), state, sink);
  state.count += 1;
  state.lineUnits += 1;
  return at + length;
}

const isLineFull = ({ lines, lineUnits }: State): boolean => lines.count > 0 && lineUnits >= lines.width;

/** The first of the two last characters says which alphabet it is; no encoder mixes them. */
function fitsAlphabet(code: number, value: number, state: State): boolean {
  if (value < 62) return true;
  const values = standardValues[code] === NO_VALUE ? urlSafeValues : standardValues;
  if (state.values === sharedValues) state.values = values;
  return state.values === values;
}

function readOverGap(text: string, at: number, isWhole: boolean, state: State, sink: ByteSink): number {
  const gap = readGap(text, at, isWhole);
  if (gap === undefined) return MORE;
  if (state.count === 0) return gap.end > at ? gap.end : end(at, state, sink);
  sink.show();
  const structure = structureOf(state, sink);
  // Only of a file that is not all there a blank is no end.
  if (!gap.hasBreak && !state.isInUrl && structure.end !== 'open') return end(at, state, sink);
  const values = state.values === sharedValues ? base64Values : state.values;
  const preview = previewLine(text, gap.end, isWhole, values);
  if (preview === undefined) return MORE;
  const isParted = gap.hasBreak || (state.isInUrl && isPart(preview, Math.max(state.lines.width, state.lineUnits)));
  const line = isParted && !gap.hasBreak ? { ...preview, isWhole: true } : preview;
  const { lines, lineUnits } = state;
  const lineBreak = text.slice(at, gap.end);
  const isIndented = lineBreak === state.lineBreak && INDENT.test(lineBreak);
  const seen = { count: lines.count + 1, width: Math.max(lines.width, lineUnits), lastUnits: lineUnits, isIndented };
  const isPadding = line.units === 0 && line.isPadded && state.phase >= 2 && isParted;
  const isOfFile = isPadding || completes(state, line, structure, isParted) || goesOn(seen, line, structure, isParted);
  if (!isOfFile) return end(at, state, sink);
  const isRegular = (lines.count === 0 || lineUnits === lines.width) && lineBreak === (state.lineBreak ?? lineBreak);
  if (state.isStrict && (!isRegular || isPadding)) return end(at, state, sink);
  state.isRegular &&= isRegular && !isPadding;
  state.lineBreak = lineBreak;
  state.lines = seen;
  state.lineUnits = 0;
  if (state.phase > 0) state.group += lineBreak;
  return gap.end;
}

/**
 * Whether the characters behind a gap complete a group that no encoder ends so: they are part of the file, unless they are a word behind one that
 * was cut short. In a data URL the last ones before its quote are, too.
 */
function completes(state: State, line: LinePreview, structure: Structure, isParted: boolean): boolean {
  if (!isParted || line.units === 0) return false;
  const units = state.phase + line.units;
  const isOfGroup = state.phase > 0 && units === 4 && line.isWhole;
  if (isOfGroup && ((state.isInUrl && line.isClosed) || !isWordy(line.text))) return true;
  if (state.phase === 1 || (state.phase > 1 && hasStrayBits(state)))
    return structure.end === 'done'
      ? isOfGroup
      : line.isPadded || (units % 4 !== 1 && line.isWhole && !isWordy(line.text));
  return state.isInUrl && structure.end !== 'done' && line.isClosed && !isWordy(line.text);
}

/** Whether what follows a blank in a data URL belongs to it, and is no word behind it. */
function isPart({ units, text, isPadded, isClosed }: LinePreview, width: number): boolean {
  return units >= MIN_PART || isPadded || isClosed || units === width || isMixed(text);
}

function readPadding(text: string, at: number, isWhole: boolean, state: State, sink: ByteSink): number {
  let stop = at;
  for (let left = 4 - state.phase; left > 0; left -= 1) {
    const gap = left === 4 - state.phase ? undefined : readGap(text, stop, isWhole);
    if (gap === undefined && stop > at) return MORE;
    const from = gap?.hasBreak === true || state.isInUrl ? (gap?.end ?? stop) : stop;
    const character = readCharacter(text, from, isWhole);
    if (character === MORE) return MORE;
    if (codeOf(character) !== EQUALS) break;
    stop = from + lengthOf(character);
  }
  const isCanonical = stop - at === 4 - state.phase && !hasStrayBits(state);
  if (state.isStrict && !isCanonical) return end(at, state, sink);
  state.isRegular &&= isCanonical;
  endGroup(state, sink);
  state.isEnded = true;
  return stop;
}

const hasStrayBits = ({ bits, phase }: State): boolean => (bits & (phase === 2 ? 15 : 3)) !== 0;

/** The structure of the file at this place, if the characters of an incomplete group were its last. */
function structureOf(state: State, { probe }: ByteSink): Structure {
  const bytes = state.phase >= 2 && !hasStrayBits(state) ? bytesOfGroup(state) : noBytes;
  return {
    end: probe.endBehind(bytes),
    missingBytes: probe.missingBytes,
    openUnits: state.phase,
    goesOnWith: state.phase === 0 && probe.sniffed.status === 'known' ? probe.goesOnWith : undefined,
  };
}

function bytesOfGroup({ bits, phase }: State): Uint8Array {
  const whole = bits << (6 * (4 - phase));
  return Uint8Array.from([(whole >> 16) & 0xff, (whole >> 8) & 0xff].slice(0, phase - 1));
}

function endGroup(state: State, sink: ByteSink): void {
  for (const byte of bytesOfGroup(state)) sink.push(byte);
  state.group = '';
  state.phase = 0;
}

/** Ends without padding. An incomplete group whose last bits no encoder would write is no part of it. */
function end(at: number, state: State, sink: ByteSink): number {
  state.isEnded = true;
  if (state.phase >= 2 && !hasStrayBits(state)) {
    endGroup(state, sink);
    state.isPadded = false;
  }
  return at;
}
