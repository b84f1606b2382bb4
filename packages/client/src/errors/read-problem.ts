import type { Failure, Problem, ProjectionPlan } from '@attache/contracts';
import { AttacheError } from './attache-error.ts';

/** The status, text and headers of an answer, however it was fetched. */
export type PlainAnswer = { status: number; text: string; header(name: string): string | null };

// A proxy in front of the service answers without a code; these say all that matters.
const codesOfStatuses: Record<number, string> = {
  401: 'UNAUTHENTICATED',
  403: 'FORBIDDEN',
  413: 'PAYLOAD_TOO_LARGE',
  429: 'RATE_LIMITED',
};

/** Whether the same request may succeed later, by its status alone. */
export const isRetryableStatus = (status: number): boolean => status >= 500 || [408, 423, 425, 429].includes(status);

/** The error that a refusal means: from its problem details, or from its status alone. */
export function readProblem(answer: PlainAnswer): AttacheError {
  const { status } = answer;
  const retryAfterSeconds = readRetryAfter(answer.header('retry-after'));
  const problem = parseProblem(answer.text);
  if (problem === undefined) {
    const code = codesOfStatuses[status] ?? 'ANSWER_UNREADABLE';
    const message = `The server answered ${status} without saying why. A proxy in front of it may have answered in its place.`;
    const rateLimit = code === 'RATE_LIMITED' ? (retryAfterSeconds ?? 1) : retryAfterSeconds;
    return new AttacheError(code, message, {
      status,
      retryable: isRetryableStatus(status),
      retryAfterSeconds: rateLimit,
    });
  }
  const { code, detail, retryable, requestId } = problem;
  return new AttacheError(code, detail, {
    ...{ status, retryable, requestId },
    ...(code === 'DELIVERY_BLOCKED' ? { failures: [], plans: [] } : {}),
    ...(problem.failures && { failures: problem.failures as Failure[] }),
    ...(problem.plans && { plans: problem.plans as ProjectionPlan[] }),
    retryAfterSeconds: code === 'RATE_LIMITED' ? (retryAfterSeconds ?? 1) : retryAfterSeconds,
  });
}

function parseProblem(text: string): Problem | undefined {
  const problem = parseJson(text);
  if (typeof problem !== 'object' || problem === null) return undefined;
  const { code, detail, title, retryable } = problem as Partial<Problem>;
  if (typeof code !== 'string') return undefined;
  return { ...(problem as Problem), detail: detail ?? title ?? code, retryable: retryable === true };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// As a date it would need the right time of this machine, so only seconds count.
function readRetryAfter(text: string | null): number | undefined {
  return text !== null && /^\s*\d{1,9}\s*$/.test(text) ? Number(text) : undefined;
}
