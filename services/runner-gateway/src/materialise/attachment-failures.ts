import type { AttachmentId, Failure } from '@attache/contracts';

/** The failure if a file of a message was deleted before its first byte was written. */
export function attachmentDeleted(attachmentId: AttachmentId): Failure {
  return {
    code: 'attachment_missing',
    severity: 'error',
    attachmentId,
    userMessage: 'A file of this message was deleted. Send the message without it.',
    diagnostic: 'the attachment is deleted',
    retryable: false,
  };
}

/** The failure if the agent's right to a file ended before its first byte was written. */
export function attachmentNotGranted(attachmentId: AttachmentId): Failure {
  return {
    code: 'attachment_not_granted',
    severity: 'error',
    attachmentId,
    userMessage:
      'The right of the agent to a file of this message was taken back, or its time is over. Send the message again, with the file to grant it again, or without it.',
    diagnostic: 'no grant of the attachment holds',
    retryable: false,
  };
}
