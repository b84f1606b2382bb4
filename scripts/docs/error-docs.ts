import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  type CodePage,
  codePages,
  describeRaisers,
  describeRetryable,
  type ExplainedCode,
  errorCodes,
  errorExplanations,
  failureCodes,
  failureExplanations,
  isFailureCode,
  nameOfCode,
} from '@attache/contracts';
import { type GeneratedDoc, NOTE } from './generated-doc.ts';

type Statuses = Map<string, { status: number; title: string }>;

const PROBLEMS = '../../services/ingest/src/http/problem-response.ts';

/** All codes, and what each means. */
export function composeErrorDocs(): GeneratedDoc[] {
  const statuses = readStatuses(readFileSync(fileURLToPath(new URL(PROBLEMS, import.meta.url)), 'utf8'));
  return [{ path: 'docs/errors.md', text: describeErrors(statuses) }];
}

/** Status and title of each code in the map of problems. */
export function readStatuses(source: string): Statuses {
  const rows = source.matchAll(/^ {2}([A-Z_]+): \[(\d{3}), '([^']+)'\],$/gm);
  return new Map([...rows].map(([, code = '', status, title = '']) => [code, { status: Number(status), title }]));
}

function describeErrors(statuses: Statuses): string {
  const errors = errorCodes.map((code) => {
    const { status, title } = statuses.get(code) ?? {};
    return `| ${status} | [\`${code}\`](#${nameOfCode(code)}) | ${title} | ${errorExplanations[code].when} |`;
  });
  const failures = failureCodes.map((code) => {
    const explanation = failureExplanations[code];
    const link = `[\`${code}\`](#${nameOfCode(code)})`;
    return `| ${link} | ${describeRaisers(explanation)} | ${describeRetryable(explanation)} |`;
  });
  return `# Errors

${NOTE}

Every error is \`application/problem+json\` ([RFC 9457](https://www.rfc-editor.org/rfc/rfc9457)):
\`{type, title, status, code, detail, retryable, requestId, failures?, plans?}\`. Programs read \`code\`, which is stable; people read \`detail\`, which says
what to do and may change. \`type\` leads to the page of the code, which the service itself answers. \`retryable\` means that the same request can be tried again
unedited. \`requestId\` is the trace id.

What is unknown, deleted, another tenant's or not visible to the caller is one and the same 404.

| Status | Code | Title | Raised when |
| --- | --- | --- | --- |
${errors.toSorted().join('\n')}

Codes with status 500 are never the caller's fault; those about configuration, data folder and ownership are met at the start or inside a process, not over HTTP.

## Failures

Why a file or a delivery failed is in a failure: in \`failures\` of a problem, in a rejected attachment, in a failed delivery. Its \`code\` is one of these.

| Code | Raised by | Retryable |
| --- | --- | --- |
${failures.join('\n')}

## Codes

A running stack answers with the same at \`/docs/errors/<code>\`, in lower case.

${codePages.map((page) => describeCodes(page, statuses)).join('\n\n')}
`;
}

/** An error and a failure may have the same name. */
function describeCodes({ name, explained }: CodePage, statuses: Statuses): string {
  return [`### ${name}`, ...explained.map((each) => describeCode(each, statuses))].join('\n\n');
}

function describeCode({ code, lines }: ExplainedCode, statuses: Statuses): string {
  const problem = statuses.get(code);
  const what = isFailureCode(code) ? `The failure \`${code}\`` : `The error \`${code}\``;
  const answer = problem ? [`- **Answered as**: ${problem.status} ${problem.title}`] : [];
  return [`${what}:`, '', ...answer, ...lines.map(({ heading, text }) => `- **${heading}**: ${text}`)].join('\n');
}
