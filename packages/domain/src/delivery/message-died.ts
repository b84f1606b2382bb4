import type { Failure } from '@attache/contracts';

/** Of a delivery whose message was given up. It names the letter, whose replay takes it back. */
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
