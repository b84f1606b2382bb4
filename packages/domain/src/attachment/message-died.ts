import type { AttachmentId, Failure } from '@attache/contracts';

/** The failure of an attachment whose inspection was given up with its bus message. It names the dead letter, whose replay revokes the failure. */
export function messageDied(attachmentId: AttachmentId, letterId: string): Failure {
  return {
    code: 'attachment_pending',
    severity: 'error',
    attachmentId,
    userMessage:
      'The inspection of this file failed on our side. Upload the file again; if it stays, tell the operator.',
    diagnostic: 'its bus message was given up',
    retryable: true,
    safeDetails: { deadLetter: letterId },
  };
}
