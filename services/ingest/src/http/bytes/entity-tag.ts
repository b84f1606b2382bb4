import { createHash } from 'node:crypto';

/** The strong `ETag` of bytes under a Content-Type: it changes with either, so that a corrected encoding is not answered 304. */
export function formatEntityTag(sha256: string, contentType: string): string {
  const digest = createHash('sha256').update(`${sha256}\n${contentType}`).digest('base64url');
  return `"${digest}"`;
}

/** Whether `If-None-Match` names it: weak tags count too (RFC 9110 §13.1.2). */
export function namesEntityTag(header: string | undefined, entityTag: string): boolean {
  if (header === undefined) return false;
  return header
    .split(',')
    .some((candidate) => candidate.trim() === '*' || candidate.trim().replace(/^W\//, '') === entityTag);
}
