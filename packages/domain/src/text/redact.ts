import { findMediaSpans } from './find-inline-media.ts';

/** Shorter base64 is too often a word or an id of ours. */
const MIN_BASE64_CHARACTERS = 64;

// Quoted, quoted inside a JSON string, or up to a blank or a delimiter.
const value = String.raw`(?:"(?:[^"\\\n]+|\\.){0,65536}"?|'[^'\n]*'?|\\{1,8}"[^"\n]*"?|[^\s"',;&)\]}]+)`;
const sign = String.raw`\\{0,8}["']?\s{0,8}(?:=>|=|:|%3d)\s{0,8}`;
const secretName =
  '(?:api[_-]?key|secret|passw(?:or)?d|(?:access|auth|refresh|session|id|security)[_-]?token|[_-]token)';

// The start of a run of base64, so that no rule cuts one into pieces too short to be seen.
const start = '(?<![A-Za-z0-9+/_-])';
const character = '[A-Za-z0-9+/_=.~-]';
// A lookahead counts, because `{8,}` keeps every position on a stack of limited size and `*` keeps none.
const token = `(?=${character}{8})${character}*`;

/** The patterns to remove, and their replacements. The name of a secret stays: it is worth reading. */
const rules: readonly (readonly [RegExp, string])[] = [
  [
    new RegExp(
      `(authorization\\\\{0,8}["']?\\s{0,8}[:=]\\s{0,8}\\\\{0,8}["']?(?:[A-Za-z]{3,16}\\s{1,8})?)${character}+`,
      'gi',
    ),
    '$1[redacted]',
  ],
  [new RegExp(`\\b(bearer(?:\\s|%20){1,8})${token}`, 'gi'), '$1[redacted]'],
  [new RegExp(`${start}(at[ksa])_${token}`, 'g'), '$1_[redacted]'],
  [new RegExp(`${start}sk-${token}`, 'g'), 'sk-[redacted]'],
  [new RegExp(`${start}(?:AIza${token}|eyJ[A-Za-z0-9_-]+\\.${token})`, 'g'), '[redacted]'],
  [new RegExp(`(${secretName}${sign})(?!\\[redacted)${value}`, 'gi'), '$1[redacted]'],
  [/([?&](?:amp;)?(?:key|token)=)[^\s"'&<>]+/gi, '$1[redacted]'],
  [/\b(sig|signature|x-amz-(?:signature|credential))(=|%3d)[^\s"'&<>]+/gi, '$1$2[redacted]'],
];

/**
 * A text without data URLs, long base64, API keys, tokens and signatures (DL-67). The only redactor: run it on whatever comes
 * from outside before it is logged, kept as a diagnostic or shown. Linear in the text's length.
 */
export function redactText(text: string): string {
  return redactMedia(rules.reduce((redacted, [pattern, replacement]) => redacted.replace(pattern, replacement), text));
}

function redactMedia(text: string): string {
  let redacted = '';
  let end = 0;
  for (const span of findMediaSpans(text, MIN_BASE64_CHARACTERS)) {
    const what = span.form === 'data-url' ? 'data URL' : 'base64';
    redacted += `${text.slice(end, span.start)}[${what} of ${span.end - span.start} characters]`;
    end = span.end;
  }
  return redacted + text.slice(end);
}

/** A redacted text of at most `maxLength` characters. Cut after redaction: half a secret would not be recognised. */
export function redactDiagnostic(text: string, maxLength = 2000): string {
  const redacted = redactText(text).toWellFormed();
  if (redacted.length <= maxLength) return redacted;
  return `${redacted.slice(0, Math.max(0, maxLength - 1)).replace(/[\ud800-\udbff]$/, '')}…`;
}
