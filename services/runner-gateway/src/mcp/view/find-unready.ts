import type { Attachment } from '@attache/contracts';
import type { Refusal } from '../tool-answer.ts';

/** Why an agent gets nothing of an attachment yet, or ever. */
export function findUnready({ status, failure }: Attachment): Refusal | undefined {
  switch (status) {
    case 'ready':
      return undefined;
    case 'pending':
      return {
        code: 'attachment_pending',
        message: 'The file is still being looked into. Try again in a moment.',
        retryable: true,
      };
    case 'rejected':
      return {
        code: 'attachment_rejected',
        message: `The file was refused when it was looked into. ${failure?.userMessage ?? ''}`.trim(),
        retryable: false,
      };
    default:
      return status satisfies never;
  }
}
