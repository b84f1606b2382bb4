import { digestOfBase64 } from './take-media.ts';

const MAX_DEPTH = 64;
/** Shorter ones are found in any text. */
const MIN_BASE64_LENGTH = 16;

/**
 * Returns the part of a tool's raw output that its text lacks: agents repeat the content in it, and structured results are only there. `taken` are the digests
 * of media that was taken out of the content. Empty if the raw output adds nothing.
 */
export function describeRawOutput(rawOutput: unknown, text: string, taken: ReadonlySet<string>): string {
  if (isSpelledIn(text, rawOutput)) return '';
  const added = takeAway(rawOutput, (value) => isKnown(value, text, taken), 0);
  if (added === undefined) return '';
  return typeof added === 'string' ? added : JSON.stringify(added);
}

/** Structured results are often printed as the text, too. */
function isSpelledIn(text: string, value: unknown): boolean {
  const spelled = JSON.stringify(value);
  if (spelled === undefined || text.includes(spelled)) return true;
  if (!/^[[{]/.test(text)) return false;
  try {
    return JSON.stringify(JSON.parse(text)) === spelled;
  } catch {
    return false;
  }
}

function isKnown(value: string, text: string, taken: ReadonlySet<string>): boolean {
  // An agent trims what it prints.
  if (text !== '' && text.includes(value.trim())) return true;
  if (taken.size === 0 || value.length < MIN_BASE64_LENGTH) return false;
  const digest = digestOfBase64(value);
  return digest !== undefined && taken.has(digest);
}

/** A value without the strings that are known; undefined where nothing else is left of it. */
function takeAway(value: unknown, isKnownText: (text: string) => boolean, depth: number): unknown {
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'string') return isKnownText(value) ? undefined : value;
  if (typeof value !== 'object' || depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) {
    const left = value.map((each) => takeAway(each, isKnownText, depth + 1)).filter((each) => each !== undefined);
    return left.length > 0 ? left : undefined;
  }
  const entries = Object.entries(value).map(([key, each]) => [key, takeAway(each, isKnownText, depth + 1)] as const);
  const left = entries.filter(([, each]) => each !== undefined);
  // The kind of a block, and the type of what was in it, say nothing alone.
  return left.some(([key]) => !/^(?:type|mime_?type)$/i.test(key)) ? Object.fromEntries(left) : undefined;
}
