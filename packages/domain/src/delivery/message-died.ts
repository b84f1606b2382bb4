import type { Failure } from '@attache/contracts';

/** The failure of a delivery whose bus message was given up. It names the dead letter, whose replay revokes the failure. */
export function messageDied(letterId: string): Failure {
  return {
    code: 'delivery_runtime_transport_failed',
    severity: 'error',
    userMessage:
      'The delivery failed on our side before anything was sent. Retry it; if it stays, report its trace id.',
    diagnostic: 'its bus message was given up',
    retryable: true,
    safeDetails: { deadLetter: letterId },
  };
}
