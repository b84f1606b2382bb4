import type { Attachment } from '@attache/contracts';
import type { VariantOutcome } from '@attache/media';
import type { Refusal } from '../tool-answer.ts';

/** Of which attachment an answer speaks. */
export function identify({ id, name, mimeType }: Attachment): Record<string, unknown> {
  return { attachmentId: id, name, mimeType };
}

/** The original beside which something is shown. */
export function describeOriginal({ mimeType, sizeBytes, sha256, facts }: Attachment): Record<string, unknown> {
  const { width, height, pages } = facts;
  return { mimeType, sizeBytes, sha256, width, height, pages };
}

/** Why nothing could be made of a file to be shown. */
export function refusalOf({ failure }: Extract<VariantOutcome, { status: 'failed' }>): Refusal {
  const { code, userMessage, retryable } = failure;
  return { code, message: userMessage, retryable };
}
