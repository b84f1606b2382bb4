import { createEscapeReader, type EscapeReader, endRun, isRunCharacter, readRun } from './escape-reader.ts';
import { findCandidates, ID_LENGTH } from './find-candidates.ts';
import { scanLayers } from './scan-layers.ts';
import type { ScanLimits } from './scan-limits.ts';

// An id, however it is escaped, is spelled in letters, digits and `_-%\`, and only an escape of one of these can lead to one.
const escapePattern = /(?:%|\\u00)(?:2[5Dd]|3[0-9]|[46][1-9A-Fa-f]|5[0-9AaCcFf]|7[0-9Aa])/g;
const ESCAPE_LENGTH = 6;
const PERCENT = 0x25;
const BACKSLASH = 0x5c;

/** A scan of texts, one after the other, each as a whole or in pieces. */
export type TextScan = {
  limits: ScanLimits;
  found: Set<string>;
  exceeded: keyof ScanLimits | undefined;
  /** There from the first escape on. */
  reader: EscapeReader | undefined;
  /** The start of the run of characters that the last piece did not end. */
  runStart: number | undefined;
  /** How far the text was read for escapes. */
  readTo: number;
  layeredLength: number;
};

export type Piece = { text: string; from: number; to: number };

export function createTextScan(limits: ScanLimits): TextScan {
  return {
    limits,
    found: new Set(),
    exceeded: undefined,
    reader: undefined,
    runStart: undefined,
    readTo: 0,
    layeredLength: 0,
  };
}

/** Adds the candidates of a text's next piece, plain ones and escaped ones. */
export function scanPiece(scan: TextScan, piece: Piece): void {
  const { found, limits } = scan;
  findCandidates(cut(piece, ID_LENGTH - 1), found, limits.maxCandidates);
  scanEscapes(scan, piece, cut(piece, ESCAPE_LENGTH - 1));
  if (found.size > limits.maxCandidates) scan.exceeded = 'maxCandidates';
}

/** The piece, and as much of what follows as something may reach that begins in it. */
function cut({ text, from, to }: Piece, reach: number): string {
  return from === 0 && to === text.length ? text : text.slice(from, to + reach);
}

function scanEscapes(scan: TextScan, { text, from, to }: Piece, searched: string): void {
  if (from === 0) scan.readTo = 0;
  if (scan.runStart !== undefined) readOn(scan, { text, from, to });
  if (!searched.includes('%') && !searched.includes('\\')) return;
  let at = Math.max(from, scan.readTo);
  while (at < to && scan.exceeded === undefined) {
    escapePattern.lastIndex = at - from;
    if (!escapePattern.test(searched)) return;
    const end = from + escapePattern.lastIndex;
    const start = findReadStart(text, text.charCodeAt(end - 3) === PERCENT ? end - 3 : end - ESCAPE_LENGTH);
    if (start >= to) return;
    at = findShortEnd(text, start);
    if (at - start <= ID_LENGTH) continue;
    scan.runStart = start;
    at = readOn(scan, { text, from: start, to });
  }
}

/**
 * Finds the position from which to read, so that nothing before it can change what is found at and after the first escape of a run. It covers every character
 * that may be the first of an id, and every escape of which this one may be a digit. Any other escape before it spells no id.
 */
function findReadStart(text: string, firstEscape: number): number {
  let opening = firstEscape;
  let index = firstEscape - 1;
  for (; opening - index < ESCAPE_LENGTH + ID_LENGTH; index -= 1) {
    const code = text.charCodeAt(index);
    if (!isRunCharacter(code)) break;
    if (code !== PERCENT && code !== BACKSLASH) continue;
    if (opening - index >= (code === PERCENT ? 3 : ESCAPE_LENGTH)) break;
    opening = index;
  }
  return index + 1;
}

/** The end of a run that is too short for an id and an escape; where it is longer, an index in it. */
function findShortEnd(text: string, start: number): number {
  let end = start;
  while (end - start <= ID_LENGTH && isRunCharacter(text.charCodeAt(end))) end += 1;
  return end;
}

/** Reads the run that has begun, to its end or to that of the piece: returns how far. */
function readOn(scan: TextScan, piece: Piece): number {
  const { text, to } = piece;
  scan.reader ??= createEscapeReader(scan.limits.maxOpenEscapes);
  const end = readRun(scan.reader, piece, scan.found);
  if (end === 'too-many-open') scan.exceeded = 'maxOpenEscapes';
  scan.readTo = end === 'ambiguous' ? readLayers(scan, text) : end === 'too-many-open' ? to : end;
  if (end === to && to < text.length) return to;
  endRun(scan.reader, scan.found);
  scan.runStart = undefined;
  return scan.readTo;
}

/** Decodes the run in every order, which is costly, as far as the limit allows. Returns where the run ends. */
function readLayers(scan: TextScan, text: string): number {
  const { limits, runStart: start = 0 } = scan;
  const maxLength = limits.maxLayeredLength - scan.layeredLength;
  let end = start;
  while (end - start <= maxLength && isRunCharacter(text.charCodeAt(end))) end += 1;
  const length = scanLayers(text.slice(start, end), { maxLength, maxCount: limits.maxCandidates }, scan.found);
  scan.layeredLength += length;
  if (length > maxLength) scan.exceeded = 'maxLayeredLength';
  return end;
}
