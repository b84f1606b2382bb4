import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describeProfilesFile } from '@attache/contracts';
import { gatewaySettings, ingestSettings, migrateSettings, projectorSettings } from '@attache/hosted/settings';
import { describeSettings } from '@attache/operations';
import { standaloneSettings } from '@attache/standalone/config';

/** A document made from the code. `path` is relative to the repository. */
export type GeneratedDoc = { path: string; text: string };

const NOTE = '<!-- Written by `npm run docs` from the code. Change the code, not this file. -->';
const ERROR_CODES = 'packages/contracts/src/error-codes.ts';
const PROBLEMS = 'services/ingest/src/http/problem-response.ts';

/** Every document that is made from the code, as it should be. */
export function composeDocs(): GeneratedDoc[] {
  return [
    { path: 'docs/configuration.md', text: describeConfiguration() },
    { path: 'docs/errors.md', text: describeErrors() },
    { path: 'docs/profiles.schema.json', text: `${JSON.stringify(describeProfilesFile(), null, 2)}\n` },
  ];
}

function describeConfiguration(): string {
  return `# Configuration

${NOTE}

The environment is the only source. A start with faulty settings names all faults at once and ends with exit code 2; an unknown
\`ATTACHE_*\` name is warned about, with the nearest known one.

## The embedded stack

${describeSettings(standaloneSettings)}

A relative path counts from the working folder. What a profiles file may hold stands in [agents.md](agents.md#profiles).

## The hosted stack

Each service reads its own table; every secret is also read from the file that \`<name>_FILE\` names. One environment file may serve all of them: a name
that belongs to another service is no misspelling. How to run it stands in [hosted.md](hosted.md).

### ingest

${describeSettings(ingestSettings)}

### projector

${describeSettings(projectorSettings)}

### runner-gateway

${describeSettings(gatewaySettings)}

### attache migrate

${describeSettings(migrateSettings)}

## Traces

The standard variables of OpenTelemetry are read. With \`OTEL_EXPORTER_OTLP_ENDPOINT\` or \`OTEL_EXPORTER_OTLP_TRACES_ENDPOINT\` the spans are
sent by OTLP over HTTP; without them nothing is sent, and answers and records still name their trace.

## What a child gets

An agent's process inherits \`PATH\`, \`LANG\` and \`TZ\` and nothing else. Beside these it has \`HOME\` and \`TMPDIR\` in a folder of its own, what its
profile gives it, and \`ATTACHE_AGENT_SOCKET\` and \`ATTACHE_AGENT_TOKEN\`, by which it reaches [its attachments](agents.md#what-tools-may-do).
`;
}

function describeErrors(): string {
  const statuses = readStatuses(readSource(PROBLEMS));
  const rows = readCodes(readSource(ERROR_CODES)).map(({ code, meaning }) => {
    const problem = statuses.get(code);
    return `| ${problem?.status ?? ''} | \`${code}\` | ${problem?.title ?? ''} | ${meaning} |`;
  });
  return `# Errors

${NOTE}

Every error is \`application/problem+json\` ([RFC 9457](https://www.rfc-editor.org/rfc/rfc9457)):
\`{type, title, status, code, detail, retryable, requestId, failures?, plans?}\`. Programs read \`code\`, which is stable; people read \`detail\`, which says
what to do and may change. \`retryable\` means that the same request can be tried again unedited. \`requestId\` is the trace id.

What is unknown, deleted, another tenant's or not visible to the caller is one and the same 404.

| Status | Code | Title | Raised when |
| --- | --- | --- | --- |
${rows.toSorted().join('\n')}

Codes with status 500 are never the caller's fault; those about configuration, data folder and ownership are met at the start or inside a process, not over HTTP.
`;
}

function readSource(path: string): string {
  return readFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), 'utf8');
}

/** Codes and the comment above each. Throws where a code has none. */
export function readCodes(source: string): { code: string; meaning: string }[] {
  const lines = source.split('\n').map((line) => line.trim());
  return lines.flatMap((line, index) => {
    const code = /^'([A-Z_]+)',$/.exec(line)?.[1];
    if (code === undefined) return [];
    const meaning = /^\/\*\* (.+) \*\/$/.exec(lines[index - 1] ?? '')?.[1];
    if (meaning === undefined) throw new Error(`${code} does not say when it is raised.`);
    return [{ code, meaning }];
  });
}

/** Status and title of each code in the map of problems. */
export function readStatuses(source: string): Map<string, { status: number; title: string }> {
  const rows = source.matchAll(/^ {2}([A-Z_]+): \[(\d{3}), '([^']+)'\],$/gm);
  return new Map([...rows].map(([, code = '', status, title = '']) => [code, { status: Number(status), title }]));
}
