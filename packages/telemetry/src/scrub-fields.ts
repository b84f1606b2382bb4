import { describeError } from './describe-error.ts';

const MAX_CHARACTERS = 2048;
const MAX_DEPTH = 5;
const MAX_ITEMS = 100;

/** A text as a log line may hold it: redacted, then cut. Cut first, half a secret would not be recognised. */
function scrubText(text: string, redact: (text: string) => string): string {
  const redacted = redact(text);
  return redacted.length <= MAX_CHARACTERS ? redacted : `${redacted.slice(0, MAX_CHARACTERS).toWellFormed()}…`;
}

/** A value as a log line may hold it: texts redacted, errors described, bytes not shown at all. */
export function scrubValue(value: unknown, redact: (text: string) => string, depth = 0): unknown {
  if (typeof value === 'string') return scrubText(value, redact);
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint' ? String(value) : value;
  if (value instanceof Error) return describeError(value, (text) => scrubText(text, redact));
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`;
  if (value instanceof Date) return value;
  if (depth >= MAX_DEPTH) return '[nested]';
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((item) => scrubValue(item, redact, depth + 1));
  return scrubFields(value, redact, depth + 1);
}

export function scrubFields(fields: object, redact: (text: string) => string, depth = 0): Record<string, unknown> {
  const entries = Object.entries(fields).slice(0, MAX_ITEMS);
  return Object.fromEntries(entries.map(([key, value]) => [key, scrubValue(value, redact, depth)]));
}
