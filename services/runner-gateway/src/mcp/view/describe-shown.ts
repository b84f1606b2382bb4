import type { Attachment } from '@attache/contracts';
import type { VariantOutcome } from '@attache/media';
import type { Refusal } from '../tool-answer.ts';

/** The attachment that an answer is about. */
export function identify({ id, name, mimeType }: Attachment): Record<string, unknown> {
  return { attachmentId: id, name, mimeType };
}

/** The original of the view that is shown. */
export function describeOriginal({ mimeType, sizeBytes, sha256, facts }: Attachment): Record<string, unknown> {
  const { width, height, pages } = facts;
  return { mimeType, sizeBytes, sha256, width, height, pages };
}

/** The reason why no view of a file could be made. */
export function refusalOf({ failure }: Extract<VariantOutcome, { status: 'failed' }>): Refusal {
  const { code, userMessage, retryable } = failure;
  return { code, message: userMessage, retryable };
}
