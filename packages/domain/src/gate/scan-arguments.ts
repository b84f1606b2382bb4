import { ID_LENGTH } from './find-candidates.ts';
import { type ScanLimits, scanLimits } from './scan-limits.ts';
import { createTextScan, scanPiece, type TextScan } from './scan-text.ts';

/**
 * The candidates in a tool call's arguments: strings spelled like an attachment id, which is `att_` and 22 characters; each spelling once, letter for letter.
 * Arguments above a limit were not scanned to their end, so nothing is known of them.
 */
export type ScanOutcome =
  | { status: 'scanned'; candidates: string[] }
  | { status: 'over-limit'; limit: keyof ScanLimits };

/** Characters between two pauses; a value counts as some, however short it is. */
const PIECE_LENGTH = 256 * 1024;
const VALUE_LENGTH = 16;

type Scan = TextScan & {
  valueCount: number;
  textLength: number;
  /** Characters left until a pause. */
  remaining: number;
  longTexts: string[];
};

/**
 * Finds every attachment id in a tool call's arguments (AT-30): keys and values at any depth, inside longer texts, JSON and URLs, behind percent-encoding and
 * JSON escapes, each any number of times. `input` is the result of `JSON.parse`. No function is recursive, so that no depth fills the stack. Time is linear in
 * the size, and never more than the limits allow. The scan pauses after each piece of a large call, so that other work can have its turn.
 */
export function* scanArguments(
  input: unknown,
  limits: ScanLimits = scanLimits,
): Generator<undefined, ScanOutcome, undefined> {
  const scan = createScan(limits);
  const pending: object[] = [[input]];
  const depths = [0];
  for (let parent = pending.pop(); parent !== undefined; parent = pending.pop()) {
    const depth = depths.pop() ?? 0;
    if (depth > limits.maxDepth) return { status: 'over-limit', limit: 'maxDepth' };
    const keys = Array.isArray(parent) ? undefined : Object.keys(parent);
    const values = parent as Record<string | number, unknown>;
    const count = keys?.length ?? (parent as unknown[]).length;
    countValues(count, scan);
    for (let index = 0; index < count && scan.exceeded === undefined; index += 1) {
      const key = keys?.[index];
      if (key !== undefined) takeText(key, scan);
      const value = values[key ?? index];
      if (typeof value === 'string') takeText(value, scan);
      else if (typeof value === 'object' && value !== null) pending.push(value);
      scan.remaining -= VALUE_LENGTH;
      if (scan.remaining <= 0) yield* takeTurn(scan);
    }
    if (scan.exceeded !== undefined) return { status: 'over-limit', limit: scan.exceeded };
    while (depths.length < pending.length) depths.push(depth + 1);
  }
  return { status: 'scanned', candidates: [...scan.found] };
}

function createScan(limits: ScanLimits): Scan {
  return {
    ...createTextScan(limits),
    valueCount: 0,
    textLength: 0,
    remaining: PIECE_LENGTH,
    longTexts: [],
  };
}

function countValues(count: number, scan: Scan): void {
  scan.valueCount += count;
  if (scan.valueCount > scan.limits.maxValues) scan.exceeded = 'maxValues';
}

/** Scans a short text; a long one waits for the turn that comes next. */
function takeText(text: string, scan: Scan): void {
  scan.textLength += text.length;
  scan.remaining -= text.length;
  if (scan.textLength > scan.limits.maxTextLength) scan.exceeded = 'maxTextLength';
  else if (text.length > PIECE_LENGTH) scan.longTexts.push(text);
  else if (text.length >= ID_LENGTH) scanPiece(scan, { text, from: 0, to: text.length });
}

function* takeTurn(scan: Scan): Generator<undefined, void, undefined> {
  for (const text of scan.longTexts) {
    for (let from = 0; from < text.length && scan.exceeded === undefined; from += PIECE_LENGTH) {
      yield;
      scanPiece(scan, { text, from, to: Math.min(text.length, from + PIECE_LENGTH) });
    }
  }
  scan.longTexts = [];
  scan.remaining = PIECE_LENGTH;
  yield;
}
