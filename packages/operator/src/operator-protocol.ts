import { type ErrorCode, errorCodes, Fault } from '@attache/contracts';

// One command per request: POST /<command> with its input as JSON. The answer says by its body how it ended.

export type OperatorAnswer =
  | { ok: true; output: unknown }
  | { ok: false; code: ErrorCode; detail: string; retryable: boolean };

export const describeFault = (fault: Fault): OperatorAnswer => ({
  ok: false,
  code: fault.code,
  detail: fault.message,
  retryable: fault.retryable,
});

/** The output of an answer, or its fault, thrown again. */
export function readOperatorAnswer(text: string): unknown {
  const answer = JSON.parse(text) as OperatorAnswer;
  if (answer.ok) return answer.output;
  const code = errorCodes.find((known) => known === answer.code) ?? 'INTERNAL';
  throw new Fault(code, answer.detail, { retryable: answer.retryable });
}
