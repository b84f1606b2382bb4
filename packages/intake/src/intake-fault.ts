import { Fault } from '@attache/contracts';

/** The time within which the store may have removed a blob that was deleted just now. */
const HELD_RETRY_SECONDS = 60;

export function tooLarge(maxBytes: number): Fault {
  return new Fault('PAYLOAD_TOO_LARGE', `The file is larger than the limit of ${maxBytes} bytes. Send a smaller file.`);
}

export function noBytes(): Fault {
  return new Fault('NO_FILE', 'The file is empty. Send a file with at least one byte.');
}

export function encodingMismatch(encoding: string): Fault {
  const message = `The file is no text in ${encoding}. Name the encoding in which it was written, or none.`;
  return new Fault('ENCODING_MISMATCH', message);
}

export function reservationFault(
  outcome: 'session-not-found' | 'session-ended' | 'quota-exceeded' | 'quota-held' | 'in-progress' | 'key-reused',
): Fault {
  switch (outcome) {
    case 'session-not-found':
      return new Fault('SESSION_NOT_FOUND', 'There is no such session.');
    case 'session-ended':
      return new Fault('SESSION_ENDED', 'The session has ended; nothing can be added to it.');
    case 'quota-exceeded':
      return new Fault(
        'QUOTA_EXCEEDED',
        "The tenant's storage quota is used up. Delete attachments or raise the quota.",
      );
    case 'quota-held':
      return new Fault(
        'QUOTA_EXCEEDED',
        "Deleted files still take the room of the tenant's storage quota. Send the file again when they are gone.",
        { retryable: true, retryAfterSeconds: HELD_RETRY_SECONDS },
      );
    case 'in-progress':
      return new Fault(
        'IDEMPOTENCY_IN_PROGRESS',
        'A request with this Idempotency-Key is under way. Try again shortly.',
        {
          retryable: true,
          retryAfterSeconds: 1,
        },
      );
    case 'key-reused':
      return new Fault(
        'IDEMPOTENCY_KEY_REUSED',
        'Someone else used this Idempotency-Key. Use a new key for a new upload.',
      );
  }
}

export function recordFault(
  outcome: 'session-ended' | 'reservation-lost' | 'ownership-lost' | 'quota-exceeded' | 'quota-held',
): Fault {
  switch (outcome) {
    case 'quota-exceeded':
    case 'quota-held':
      return reservationFault(outcome);
    case 'session-ended':
      return new Fault('SESSION_ENDED', 'The session ended during the upload; nothing was kept.');
    case 'reservation-lost':
      return new Fault(
        'UPLOAD_CONFLICT',
        'The upload took too long and its reservation was swept. Send the file again.',
        {
          retryable: true,
        },
      );
    case 'ownership-lost':
      return new Fault('OWNERSHIP_LOST', 'Another gateway owns the session now.');
  }
}
