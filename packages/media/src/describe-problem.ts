import type { Failure } from '@attache/contracts';
import type { WorkerDeath } from './pool/await-answer.ts';
import type { Problem, ProblemCode } from './worker-protocol.ts';

const userMessages: Record<ProblemCode, string> = {
  attachment_pixels_exceeded: 'The image has more pixels than are allowed here. Send a smaller one.',
  attachment_corrupt_image: 'The image is damaged or cut off. Save or export it again and send the new file.',
  attachment_corrupt: 'The file is damaged or cannot be read safely. Save or export it again and send the new file.',
  attachment_inspection_too_costly:
    'Reading the file takes too much computing time. Save or export it in a simpler form, or split it.',
  attachment_encrypted: 'The document is protected with a password. Save a copy without protection and send that.',
  attachment_type_unsupported: 'Files of this type cannot be converted here. Send the file in another format.',
  attachment_optimization_failed: 'No form of this file that fits could be made. Send a smaller or simpler one.',
  attachment_page_unreadable:
    'This page of the document cannot be drawn. Print the document into a new PDF, or send a picture of the page.',
  attachment_too_large_optimized:
    'Even its smallest acceptable form is too large for this use. Crop or split the file.',
};

/** Whether media may report this code. */
export function isProblemCode(code: string): code is ProblemCode {
  return Object.hasOwn(userMessages, code);
}

/** The failure of a problem: its text for people is ours, not the worker's. */
export function describeProblem(problem: Problem): Failure {
  return { ...problem, severity: 'error', userMessage: userMessages[problem.code], retryable: false };
}

/** The problem of a file that took a worker too long: another attempt would take as long. */
export function describeCost(code: ProblemCode, death: WorkerDeath): Problem {
  return {
    code,
    diagnostic: `The media worker was ended because ${death.reason}.`,
    safeDetails: { cause: death.cause, attempts: 1 },
  };
}

/** The problem of a file on which a worker died, and a fresh one too (S17). */
export function describeDeath(code: ProblemCode, death: WorkerDeath): Problem {
  return {
    code,
    diagnostic: `The media worker ended twice on this file, the second time because ${death.reason}.`,
    safeDetails: { cause: death.cause, attempts: 2 },
  };
}
