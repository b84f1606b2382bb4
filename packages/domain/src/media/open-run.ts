import { type Base64Encoding, createBase64Encoding } from './encoding/base64-encoding.ts';
import { beginsDump, createDumpEncoding } from './encoding/dump-encoding.ts';
import { type ByteSink, createByteSink, type Encoding } from './encoding/encoding.ts';
import { createHexEncoding } from './encoding/hex-encoding.ts';
import { createNumberEncoding } from './encoding/number-encoding.ts';
import { createPercentEncoding } from './encoding/percent-encoding.ts';
import { isFileType, typeDeclaredBefore } from './file/declared-type.ts';
import { createMediaProbe } from './file/media-probe.ts';
import type { Start } from './find-start.ts';
import { BASE64_HEAD, HEX_HEAD, NUMBER_HEAD } from './spelled-heads.ts';

/** A stretch of text that is read as the spelling of bytes. */
export type Run = {
  form: 'base64' | 'data-url' | 'hex' | 'numbers';
  /** The start of the run in the text, and how far it has been read. */
  start: number;
  at: number;
  encoding: Encoding;
  /** The number of characters that are read at once while nothing is decided. */
  stepLength: number;
  /** The same encoding, where it is base64. */
  base64: Base64Encoding | undefined;
  sink: ByteSink;
  /** The type next to it, if that is a file's. */
  declared: string | undefined;
  /** Its bytes need not be of a known type: where it is long it is taken out all the same. */
  isAnyBytes: boolean;
  /** It is the value of a key that holds files: its type may come after it. */
  isFileValue: boolean;
  /** `passed`: read only to find its end; it is text. */
  state: 'undecided' | 'open' | 'passed';
};

const FIRST_STEP = 16;

type Making = {
  at: number;
  start?: number;
  declared?: string | undefined;
  isFileValue?: boolean;
  isAnyBytes?: boolean;
};

function makeRun(form: Run['form'], create: (sink: ByteSink) => Encoding | Base64Encoding, making: Making): Run {
  const { at, start = at, declared, isAnyBytes = false, isFileValue = false } = making;
  const sink = createByteSink(createMediaProbe());
  const encoding = create(sink);
  const base64 = 'endWhereIrregular' in encoding ? encoding : undefined;
  const stepLength = FIRST_STEP;
  return { form, start, at, encoding, stepLength, base64, sink, declared, isAnyBytes, isFileValue, state: 'undecided' };
}

/** The ways in which what begins here may be read, likeliest first. */
export function openRuns(start: Exclude<Start, { type: 'none' }>, text: string): Run[] {
  switch (start.type) {
    case 'line':
      return [makeRun('base64', createBase64Encoding, { at: start.at, isAnyBytes: true })];
    case 'data-url':
      return openDataUrl(start);
    case 'encoding':
      return openEncodings(start, text);
  }
}

function openDataUrl({ at, head }: Extract<Start, { type: 'data-url' }>): Run[] {
  if (!isFileType(head.mimeType)) return [];
  const making = { at: head.end, start: at, declared: head.mimeType };
  return [
    head.isBase64
      ? makeRun('data-url', (sink) => createBase64Encoding(sink, { isInUrl: true }), making)
      : makeRun('data-url', (sink) => createPercentEncoding(sink, head.frame), making),
  ];
}

function openEncodings(start: Extract<Start, { type: 'encoding' }>, text: string): Run[] {
  const { at, heads, isFileValue, mailType } = start;
  const runs: Run[] = [];
  const declared = isFileValue ? typeDeclaredBefore(text, at) : mailType;
  if ((heads & HEX_HEAD) !== 0 && beginsDump(text, at)) runs.push(makeRun('hex', createDumpEncoding, { at }));
  const keyQuote = (heads & NUMBER_HEAD) === 0 ? 'none' : arrayBefore(text, at);
  if (keyQuote !== 'none') runs.push(makeRun('numbers', (sink) => createNumberEncoding(sink, { keyQuote }), { at }));
  if (isFileType(declared)) runs.push(makeRun('base64', createBase64Encoding, { at, declared }));
  else if ((heads & BASE64_HEAD) !== 0) runs.push(makeRun('base64', createBase64Encoding, { at }));
  if ((heads & HEX_HEAD) !== 0) runs.push(makeRun('hex', createHexEncoding, { at }));
  if (isFileValue) runs.push(makeRun('base64', createBase64Encoding, { at, isAnyBytes: true, isFileValue }));
  return runs;
}

/**
 * Finds the opening of a list of numbers before `at`: returns the quotes of its first key, undefined for a list without keys, `none` if no list begins there.
 */
function arrayBefore(text: string, at: number): string | undefined | 'none' {
  const before = text.slice(Math.max(0, at - 96), at);
  if (/[[({](?:\s|\\{1,64}[nrt]){0,64}$/.test(before)) return undefined;
  return /\{(?:\s|\\{1,64}[nrt]){0,64}((?:\\{0,64}")?)0\1\s{0,8}:\s{0,8}$/.exec(before)?.[1] ?? 'none';
}
