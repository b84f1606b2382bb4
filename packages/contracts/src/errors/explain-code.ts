import { type FailureCode, failureCodes } from '../delivery/failure.ts';
import { type ErrorCode, errorCodes } from './error-codes.ts';
import { errorExplanations } from './error-explanations.ts';
import { type FailureExplanation, raisers } from './failure-explanation.ts';
import { failureExplanations } from './failure-explanations.ts';

/** The explanation of one code: headings, each with a text. */
export type ExplainedCode = { code: ErrorCode | FailureCode; lines: readonly { heading: string; text: string }[] };

/** Everything about one name: an error and a failure may share it. */
export type CodePage = { name: string; explained: readonly ExplainedCode[] };

const codes: readonly (ErrorCode | FailureCode)[] = [...errorCodes, ...failureCodes];

/** One page for each name, in the order of the lists. */
export const codePages: readonly CodePage[] = [...new Set(codes.map(nameOfCode))].map((name) => ({
  name,
  explained: codes.filter((code) => nameOfCode(code) === name).map(explainCode),
}));

/** The path under which a service explains a code. */
export function pathOfCode(code: ErrorCode | FailureCode): string {
  return `/docs/errors/${nameOfCode(code)}`;
}

export function nameOfCode(code: ErrorCode | FailureCode): string {
  return code.toLowerCase();
}

export function isFailureCode(code: ErrorCode | FailureCode): code is FailureCode {
  return Object.hasOwn(failureExplanations, code);
}

export function describeRaisers({ raisedBy }: FailureExplanation): string {
  return raisedBy.map((raiser) => raisers[raiser]).join('; ') || 'nobody in this release';
}

export function describeRetryable({ retryable }: FailureExplanation): string {
  return typeof retryable === 'string' ? retryable : `depends on ${retryable.dependsOn}`;
}

function explainCode(code: ErrorCode | FailureCode): ExplainedCode {
  if (!isFailureCode(code)) {
    const { when, whatToDo } = errorExplanations[code];
    return {
      code,
      lines: [
        { heading: 'Raised when', text: when },
        { heading: 'What to do', text: whatToDo },
      ],
    };
  }
  const explanation = failureExplanations[code];
  return {
    code,
    lines: [
      { heading: 'Raised when', text: explanation.when },
      { heading: 'Raised by', text: describeRaisers(explanation) },
      { heading: 'What to do', text: explanation.whatToDo },
      { heading: 'The same message may succeed unedited', text: describeRetryable(explanation) },
    ],
  };
}
