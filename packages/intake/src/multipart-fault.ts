import { Fault } from '@attache/contracts';

const GRAMMAR = 'Send multipart/form-data with the fields `source` and `name` (both optional), then one part `file`.';

/** A body that breaks the rules for uploads. `problem` is a sentence of ours, never text of the body. */
export function malformedBody(problem: string, cause?: unknown): Fault {
  return new Fault('MALFORMED_BODY', `${problem} ${GRAMMAR}`, { cause });
}

/** Translates the parser's error. */
export function toMultipartFault(error: unknown): Fault {
  if (error instanceof Fault) return error;
  const complaint = error instanceof Error ? error.message : '';
  if (complaint.startsWith('Unexpected end')) return malformedBody('The body ends before its closing boundary.', error);
  if (complaint === 'Malformed part header') {
    return malformedBody('The header of a part is malformed or longer than 16 KiB.', error);
  }
  if (complaint === 'Multipart: Boundary not found') return malformedBody('The Content-Type has no boundary.', error);
  return malformedBody('The body cannot be read.', error);
}

export function noFile(): Fault {
  return new Fault(
    'NO_FILE',
    'The body has no readable part named `file` with a filename. Send the file in such a part.',
  );
}
