import { classifyMediaType } from '@attache/domain';

const YEAR_SECONDS = 365 * 24 * 3600;

/**
 * For how long a browser may keep what is behind a signed URL: never longer than the URL lives, and `immutable` if that cannot change. Anything else is
 * asked for again each time, which costs no bytes while its ETag is the same.
 */
export function formatCacheControl(isLasting: boolean, expiresAtSeconds: number, nowSeconds: number): string {
  if (!isLasting) return 'private, no-cache';
  const leftSeconds = Math.max(0, Math.floor(expiresAtSeconds - nowSeconds));
  return `private, max-age=${Math.min(leftSeconds, YEAR_SECONDS)}, immutable`;
}

/**
 * Whether nothing can change how an inspected file is served. The encoding of a text may be corrected, and that of a file that was taken for
 * none may be named later, which makes it a text.
 */
export function isLastingType(mimeType: string, encoding: string | null): boolean {
  return encoding === null && !['text', 'unsupported'].includes(classifyMediaType(mimeType));
}
