import { stripVTControlCharacters } from 'node:util';

export const DIAGNOSTIC_BYTES = 8 * 1024;
// More is held than is shown, so that a secret at the cut is whole when it is redacted.
const HELD_BYTES = 2 * DIAGNOSTIC_BYTES;

export type StderrTail = { append(chunk: Buffer): void; text(): string };

/** Keeps the end of a child's standard error, bounded, and gives it out redacted. */
export function createStderrTail(redact: (text: string) => string): StderrTail {
  let held: Buffer = Buffer.alloc(0);
  let isCut = false;
  return {
    append(chunk) {
      const joined = Buffer.concat([held, chunk]);
      isCut ||= joined.length > HELD_BYTES;
      held = Buffer.from(joined.subarray(-HELD_BYTES));
    },
    text: () => cleanDiagnostic(isCut ? dropPartialLine(held.toString('utf8')) : held.toString('utf8'), redact),
  };
}

/** Redacts a text for a diagnostic, takes out control characters and keeps its end. */
export function cleanDiagnostic(text: string, redact: (text: string) => string): string {
  const printable = stripVTControlCharacters(text.toWellFormed()).replace(/[^\P{Cc}\n\t]/gu, '');
  const redacted = Buffer.from(redact(printable).trim());
  if (redacted.length <= DIAGNOSTIC_BYTES) return redacted.toString('utf8');
  return dropPartialLine(redacted.subarray(-DIAGNOSTIC_BYTES).toString('utf8'));
}

function dropPartialLine(text: string): string {
  const cut = text.search(/\s/);
  return cut === -1 ? '' : text.slice(cut).trimStart();
}
