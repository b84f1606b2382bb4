import { decodeRuns } from './decode-runs.ts';
import { findCandidates, ID_LENGTH } from './find-candidates.ts';

export type ScanLimits = {
  /** Objects and arrays inside one another. */
  maxDepth: number;
  /** Values of objects and arrays, and, counted alone, candidates. */
  maxValues: number;
  /** Characters of all keys and texts, and again of what stands behind their escapes. */
  maxTextLength: number;
};

export const scanLimits: ScanLimits = { maxDepth: 64, maxValues: 200_000, maxTextLength: 32 * 1024 * 1024 };

/**
 * What in a tool call's arguments is spelled like an attachment id: `att_` and 22 characters, each spelling once, letter for letter.
 * What is above a limit was not scanned to its end, so nothing is known of it.
 */
export type ScanOutcome =
  | { status: 'scanned'; candidates: string[] }
  | { status: 'over-limit'; limit: keyof ScanLimits };

type Scan = ScanLimits & {
  valueCount: number;
  textLength: number;
  candidates: Set<string>;
  exceeded: keyof ScanLimits | undefined;
};

/**
 * Finds every attachment id in a tool call's arguments (AT-30): keys and values at any depth, inside longer texts, JSON and URLs, behind
 * percent-encoding and JSON escapes, each any number of times. `input` is what `JSON.parse` makes. Nothing calls itself, so that no depth
 * fills the stack; linear in the size, and never more than the limits allow.
 */
export function scanArguments(input: unknown, limits: ScanLimits = scanLimits): ScanOutcome {
  const scan: Scan = { ...limits, valueCount: 0, textLength: 0, candidates: new Set(), exceeded: undefined };
  const pending: object[] = [[input]];
  const depths = [0];
  for (let parent = pending.pop(); parent !== undefined && scan.exceeded === undefined; parent = pending.pop()) {
    const depth = depths.pop() ?? 0;
    if (depth > limits.maxDepth) scan.exceeded = 'maxDepth';
    else if (Array.isArray(parent)) scanItems(parent, pending, scan);
    else scanFields(parent as Record<string, unknown>, pending, scan);
    while (depths.length < pending.length) depths.push(depth + 1);
  }
  if (scan.exceeded !== undefined) return { status: 'over-limit', limit: scan.exceeded };
  return { status: 'scanned', candidates: [...scan.candidates] };
}

function scanItems(items: readonly unknown[], pending: object[], scan: Scan): void {
  if (!countValues(items.length, scan)) return;
  for (const item of items) scanValue(item, pending, scan);
}

function scanFields(parent: Record<string, unknown>, pending: object[], scan: Scan): void {
  const keys = Object.keys(parent);
  if (!countValues(keys.length, scan)) return;
  for (const key of keys) {
    scanText(key, scan);
    scanValue(parent[key], pending, scan);
  }
}

function countValues(count: number, scan: Scan): boolean {
  scan.valueCount += count;
  if (scan.valueCount <= scan.maxValues) return true;
  scan.exceeded = 'maxValues';
  return false;
}

function scanValue(value: unknown, pending: object[], scan: Scan): void {
  if (typeof value === 'string') scanText(value, scan);
  else if (typeof value === 'object' && value !== null) pending.push(value);
}

function scanText(text: string, scan: Scan): void {
  scan.textLength += text.length;
  if (scan.textLength > scan.maxTextLength) scan.exceeded = 'maxTextLength';
  if (text.length < ID_LENGTH || scan.exceeded !== undefined) return;
  findCandidates(text, scan.candidates);
  const layers = decodeRuns(text, ID_LENGTH);
  if (layers.length > 0) scanLayers(layers, scan);
  if (scan.candidates.size > scan.maxValues) scan.exceeded = 'maxValues';
}

/** Decodes further until nothing is left to decode, in whichever order; every layer counts as text. */
function scanLayers(layers: readonly string[], scan: Scan): void {
  const pending = [...layers];
  const seen = new Set<string>();
  for (let layer = pending.pop(); layer !== undefined; layer = pending.pop()) {
    if (seen.has(layer)) continue;
    seen.add(layer);
    scan.textLength += layer.length;
    if (scan.textLength > scan.maxTextLength) {
      scan.exceeded = 'maxTextLength';
      return;
    }
    findCandidates(layer, scan.candidates);
    for (const next of decodeRuns(layer, ID_LENGTH)) pending.push(next);
  }
}
