import type { Base64Spelling } from './encoding/base64-encoding.ts';
import { GENERIC_TYPE, LOOK_BEHIND, typeDeclaredBehind } from './file/declared-type.ts';
import { findStart } from './find-start.ts';
import { judgeRun } from './judge-run.ts';
import { openRuns, type Run } from './open-run.ts';

/** A run that was taken out of a text. */
export type TakenRun = {
  /** `media`: a file of a known or declared type. `bytes`: long base64 of anything else. */
  kind: 'media' | 'bytes';
  form: Run['form'];
  /** Undefined for bytes of no known type. */
  mimeType: string | undefined;
  /** Only for `bytes`: how they were spelled; undefined if the text itself was kept, because no encoder would write it so. */
  spelling: Base64Spelling | undefined;
};

/**
 * A text in pieces. What is taken out comes as `open`, its bytes, and `close`, which says what it was; a replacement belongs where `close` is.
 * The text pieces in their order are the text without that, letter for letter.
 */
export type MediaPiece =
  | { type: 'text'; text: string }
  | { type: 'open' }
  | { type: 'bytes'; bytes: Uint8Array }
  | ({ type: 'close' } & TakenRun);

export type MediaStrip = {
  push(chunk: string): MediaPiece[];
  /** No more text comes. */
  end(): MediaPiece[];
};

export type MediaStripOptions = {
  /**
   * For a text that is shown while it comes: what may still become media is given out as text as long as it has fewer characters, and only
   * from then on held back until it is decided. Without it nothing undecided is given out.
   */
  holdFromLength?: number;
};

/**
 * Takes media out of a text as it comes (SR-24, AT-34). A run is media if it decodes to a file of a known type, or to any bytes next to a declared type; it
 * ends where its encoding ends. Base64 that is no media is taken out if it is longer than 16 KiB, so that it can be spelled again. All other text stays to the
 * letter. Linear in the text's length; holds no more than 256 KiB of it, however long a run is.
 */
export function createMediaStrip({ holdFromLength = 0 }: MediaStripOptions = {}): MediaStrip {
  const strip = createStripState(holdFromLength === 0);
  return {
    push(chunk) {
      // Joined, not added: a text that is a tree of its pieces is four times as slow to read.
      strip.text = [strip.text, chunk].join('');
      const pieces: MediaPiece[] = [];
      while (advance(strip, pieces, false));
      const settled = strip.run?.state === 'undecided' ? strip.run.start : strip.at;
      const isHeld = strip.run?.state === 'open' || strip.text.length - settled >= holdFromLength;
      giveText(strip, pieces, isHeld ? settled : strip.text.length);
      forget(strip);
      return pieces;
    },
    end() {
      const pieces: MediaPiece[] = [];
      while (advance(strip, pieces, true));
      giveText(strip, pieces, strip.text.length);
      Object.assign(strip, createStripState(holdFromLength === 0));
      return pieces;
    },
  };
}

type StripState = {
  /** A type that is declared behind its value is waited for. */
  looksAhead: boolean;
  /** The unsettled text, and before it some of the settled text. */
  text: string;
  /** Everything before it was looked at. */
  at: number;
  /** Everything before it was given out or taken out. */
  given: number;
  /** A place that was looked at and is no media. */
  tried: number;
  run: Run | undefined;
  /** Other ways to read what begins where the run does. */
  others: Run[];
  /** The text of a run that is kept as text goes to its bytes from here on. */
  verbatimFrom: number | undefined;
};

const createStripState = (looksAhead: boolean): StripState => ({
  looksAhead,
  ...{ text: '', at: 0, given: 0, tried: -1, run: undefined, others: [], verbatimFrom: undefined },
});

/** Settles something more of the text; false where more of it is needed. */
function advance(strip: StripState, pieces: MediaPiece[], isWhole: boolean): boolean {
  const { run } = strip;
  if (run === undefined) return findRun(strip, isWhole);
  const isAllRead = readOn(strip.text, run, isWhole);
  if (run.state === 'undecided') {
    const verdict = judgeRun(run, strip.text, isWhole);
    if (verdict === 'wait') return !isAllRead;
    if (verdict === 'text') return rejectRun(strip, run);
    if (verdict === 'pass') run.state = 'passed';
    else openRun(strip, run, pieces);
  }
  if (run.state === 'open') giveBytes(strip, run, pieces);
  else run.sink.take();
  strip.at = run.at;
  if (!run.encoding.isEnded) return !isAllRead;
  if (run.state === 'open') closeRun(strip, run, pieces);
  strip.run = undefined;
  return true;
}

/** Reads on in growing steps while nothing is decided: what is no media is seen to be none after a few characters. */
function readOn(text: string, run: Run, isWhole: boolean): boolean {
  const to = run.state === 'undecided' ? run.at + run.stepLength : text.length;
  const isAll = to >= text.length;
  run.at = run.encoding.read(isAll ? text : text.slice(0, to), run.at, isWhole && isAll);
  run.stepLength *= 2;
  return isAll;
}

function findRun(strip: StripState, isWhole: boolean): boolean {
  const start = findStart(strip.text, strip.at, strip.tried, isWhole);
  strip.at = start.at;
  if (start.type === 'none') return false;
  const runs = openRuns(start, strip.text);
  const [first, ...others] = strip.looksAhead ? runs : runs.filter(({ isFileValue }) => !isFileValue);
  strip.run = first;
  strip.others = others;
  strip.tried = start.at;
  if (start.type === 'data-url' && first === undefined) strip.at = start.head.end;
  return true;
}

/** It is no media: the next way to read it, or text. Of base64 that was read to its end nothing else can begin inside it. */
function rejectRun(strip: StripState, run: Run): boolean {
  strip.run = strip.others.shift();
  if (strip.run === undefined && (run.isAnyBytes || run.form === 'data-url')) strip.at = run.at;
  return true;
}

function openRun(strip: StripState, run: Run, pieces: MediaPiece[]): void {
  giveText(strip, pieces, run.start);
  pieces.push({ type: 'open' });
  run.state = 'open';
  if (kindOf(run) === 'media') return;
  if (run.base64?.spelling === undefined) strip.verbatimFrom = run.start;
  else run.base64.endWhereIrregular();
}

function giveBytes(strip: StripState, run: Run, pieces: MediaPiece[]): void {
  const decoded = run.sink.take();
  const bytes = strip.verbatimFrom === undefined ? decoded : bytesOf(strip.text.slice(strip.verbatimFrom, run.at));
  if (strip.verbatimFrom !== undefined) strip.verbatimFrom = run.at;
  if (bytes.length > 0) pieces.push({ type: 'bytes', bytes });
  strip.given = Math.max(strip.given, run.at);
}

function closeRun(strip: StripState, run: Run, pieces: MediaPiece[]): void {
  const kind = kindOf(run);
  const { sniffed } = run.sink.probe;
  const behind = run.declared === GENERIC_TYPE ? typeDeclaredBehind(strip.text, run.at) : undefined;
  const mimeType = kind === 'media' && sniffed.status === 'known' ? sniffed.mimeType : (behind ?? run.declared);
  const isVerbatim = strip.verbatimFrom !== undefined;
  const spelling = kind === 'bytes' && !isVerbatim ? run.base64?.spelling : undefined;
  pieces.push({ type: 'close', kind, form: run.form, mimeType, spelling });
  if (!isVerbatim && run.encoding.rest !== '') pieces.push({ type: 'text', text: run.encoding.rest });
  strip.verbatimFrom = undefined;
}

const kindOf = (run: Run): TakenRun['kind'] => (run.isAnyBytes && run.declared === undefined ? 'bytes' : 'media');

function giveText(strip: StripState, pieces: MediaPiece[], to: number): void {
  if (to <= strip.given) return;
  pieces.push({ type: 'text', text: strip.text.slice(strip.given, to) });
  strip.given = to;
}

/** Releases settled text, except for the part that may contain a declaration. */
function forget(strip: StripState): void {
  const { run } = strip;
  const settled = Math.min(strip.given, run === undefined ? strip.at : run.state === 'undecided' ? run.start : run.at);
  const cut = settled - LOOK_BEHIND;
  if (cut <= 0) return;
  strip.text = strip.text.slice(cut);
  strip.at -= cut;
  strip.given -= cut;
  strip.tried -= cut;
  if (strip.verbatimFrom !== undefined) strip.verbatimFrom -= cut;
  for (const each of [run, ...strip.others]) {
    if (each === undefined) continue;
    each.start -= cut;
    each.at -= cut;
  }
}

// Base64 and its line breaks are ASCII.
function bytesOf(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index += 1) bytes[index] = text.charCodeAt(index);
  return bytes;
}
