import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoryRoot } from '../source/source-files.ts';

const read = (path: string): string => readFileSync(join(repositoryRoot, path), 'utf8');

/** The value of `NAME = 30 * 60_000` or `name: 8,` in a file of ours: products of whole numbers, and other names of that file. */
function constant(path: string, name: string): number {
  const source = read(path);
  const [, expression] = new RegExp(`\\b${name}(?: =|:) ([\\d_*.A-Z ]+)[;,]`).exec(source) ?? [];
  if (expression === undefined) throw new Error(`${path} has no constant ${name}`);
  return expression
    .split('*')
    .map((factor) => factor.trim().replaceAll('_', /[A-Z]/.test(factor) ? '_' : ''))
    .reduce((product, factor) => product * (/^\d/.test(factor) ? Number(factor) : constant(path, factor)), 1);
}

const GATEWAY = 'services/runner-gateway/src';
const INGEST = 'services/ingest/src';
const MIB = 1024 ** 2;
const minutes = (ms: number) => `${ms / 60_000} minutes`;
const seconds = (ms: number) => `${ms / 1000} s`;
const mib = (bytes: number) => `${bytes / MIB} MiB`;
const gib = (bytes: number) => `${bytes / MIB / 1024} GiB`;
const grouped = (count: number) => count.toLocaleString('en-US');

const turnMs = constant(`${GATEWAY}/host/describe-spec.ts`, 'TURN_MS');
const startMs = constant(`${GATEWAY}/host/describe-spec.ts`, 'START_MS');
const idleMs = constant(`${GATEWAY}/host/agent-host.ts`, 'IDLE_STOP_MS');
const outputBytes = constant(`${GATEWAY}/host/describe-profile.ts`, 'OUTPUT_BYTES');
const folderBytes = constant(`${GATEWAY}/host/describe-profile.ts`, 'FOLDER_BYTES');
const leastBytes = constant('packages/agent-process/src/folder/measure-folder.ts', 'MIN_ENTRY_BYTES');
const folders = constant('packages/agent-process/src/folder/measure-folder.ts', 'MAX_DEPTH');
const openFiles = constant('packages/agent-process/src/limits/measure-unlinked.ts', 'MAX_OPEN_FILES');
const checkpointBytes = constant('services/runner-gateway/src/memory/recall-memory.ts', 'DEFAULT_CHECKPOINT_BYTES');
const lineBytes = constant('packages/contracts/src/session/profile.ts', 'DEFAULT_LINE_BYTES');
const linger = (name: string) => constant(`${INGEST}/http/server/linger.ts`, name);
const bodies = (name: string) => constant(`${INGEST}/http/shares/body-budget.ts`, name);
const mcp = (file: string, name: string) => constant(`${GATEWAY}/mcp/${file}`, name);
const edgePixels = mcp('tool-inputs.ts', 'MAX_EDGE_PIXELS');
const imageBytes = mcp('view/choose-view.ts', 'MAX_IMAGE_BYTES');
const pace = (name: string) => constant(`${GATEWAY}/granted/request-pace.ts`, name);
const opened = (name: string) => constant(`${INGEST}/http/shares/open-counters.ts`, name);
const scan = (name: string) => constant('packages/domain/src/gate/scan-limits.ts', name);

/** A default of the generated settings, which are tested against the code elsewhere. */
function setting(name: string): number {
  const [, value] = new RegExp(`\\| \`${name}\` \\|[^|]*\\| \`(\\d+)\` \\|`).exec(read('docs/configuration.md')) ?? [];
  if (value === undefined) throw new Error(`${name} has no default`);
  return Number(value);
}

/** Sentences of a document, each made from the constant that makes it true. */
const said: Record<string, string[]> = {
  'docs/agents.md': [
    `| \`limits.turnMs\` | time for one turn | ${minutes(turnMs)} |`,
    `the next message starts it again | ${minutes(idleMs)} |`,
    `the plan makes images fit or blocks them | ${mib(lineBytes)} |`,
    `more ends it | ${mib(outputBytes)} |`,
    `more ends the agent (see below) | ${gib(folderBytes)} |`,
    `and folder counts for at least ${leastBytes / 1024} KiB`,
    `More than ${folders} folders inside one another, or more than ${grouped(openFiles)} open files`,
    `there are no checkpoints | ${mib(checkpointBytes)} |`,
    `more on a loaded machine | ${seconds(startMs)} |`,
    `Answer \`initialize\` and \`session/new\` within \`limits.startMs\`, ${seconds(startMs)} by default.`,
    `Its own lines may have ${lineBytes / MIB + 1} MiB.`,
  ],
  'docs/http.md': [
    `| ${setting('ATTACHE_RATE_PER_KEY')} per second, the mean of ten |`,
    `| ${grouped(setting('ATTACHE_RATE_PER_TENANT'))} per second, the mean of ten |`,
    `| ${setting('ATTACHE_RATE_FAILED_LOGINS')} per minute |`,
    `| ${gib(linger('tenantBytes'))}; ${gib(linger('processBytes'))} at a time |`,
    `after ${mib(bodies('atOnce'))} at once | each tenant, in each process | ${mib(bodies('perSecond'))} |`,
    `refusals of one tenant, at ${mib(linger('tenantBytesPerSecond'))} a second after ${mib(linger('tenantAtOnceBytes'))} at once`,
    `or ${opened('BESIDE_STREAMS')} more than the streams that it may have; at most four fifths |`,
    `1 runs, ${constant('packages/intake/src/flow/take-in-order.ts', 'MAX_AHEAD')} wait in their order | closed |`,
    `up to ${mib(linger('maxBytes'))} and for ${seconds(linger('maxMs'))}, unless nothing comes for ${seconds(linger('maxSilenceMs'))}.`,
    `at most ${constant('packages/contracts/src/access/origin.ts', 'MAX_ORIGINS')}, each as`,
    `in every other one after at most ${seconds(constant(`${INGEST}/http/origins/kept-origins.ts`, 'KEPT_ORIGIN_MS'))}`,
    `opens one stream of its session within ${constant(`${INGEST}/caller/event-ticket.ts`, 'TICKET_SECONDS')} s, once`,
    `keep the answer for up to ${constant(`${INGEST}/http/origins/cors-headers.ts`, 'PREFLIGHT_SECONDS')} s`,
    `at most ${constant(`${INGEST}/caller/record-denial.ts`, 'MAX_PER_MINUTE')} times a minute`,
    `up to ${mib(constant(`${INGEST}/http/routes/message-routes.ts`, 'MAX_MESSAGE_BYTES'))} of body`,
    `inspected after ${seconds(constant(`${INGEST}/message/wait-for-inspection.ts`, 'WAIT_MS'))}`,
    `the request waits up to\n${seconds(constant(`${INGEST}/message/wait-for-parts.ts`, 'WAIT_MS'))}`,
    `stream of its log ends within ${seconds(constant(`${INGEST}/log/follow-events.ts`, 'HEARTBEAT_MS'))}`,
    `0 to ${constant('packages/contracts/src/access/api-key.ts', 'MAX_OVERLAP_SECONDS') / 86_400} days`,
  ],
  'docs/mcp.md': [
    `| a call | ${mib(mcp('read-call.ts', 'CALL_BYTES'))}; of \`attachment_save_output\` its content up to the limit of outputs, at most ${mib(mcp('read-call.ts', 'LARGEST_CONTENT_BYTES'))}`,
    `each agent: ${pace('AGENT_PER_SECOND')}, after ${pace('AGENT_AT_ONCE')} at once; all agents of a tenant in one gateway: ${pace('TENANT_PER_SECOND')}, after ${pace('TENANT_AT_ONCE')} at once.`,
    `${mcp('mcp-app.ts', 'RUNNING_CALLS')} run, ${mcp('mcp-app.ts', 'WAITING_CALLS')} wait`,
    `| ${mib(constant('packages/agent-kit/src/mcp-bridge/bridge-calls.ts', 'LINE_BYTES'))}; ${constant('packages/agent-kit/src/mcp-bridge/bridge-calls.ts', 'RUNNING_CALLS')} calls at once |`,
    `| an image that is shown | ${edgePixels} pixels a side, ${imageBytes / 1e6} MB, and what its target takes |`,
    `at most ${edgePixels} pixels a side and ${imageBytes / 1e6} MB`,
    `\`{maxEdgePixels}\`, at most ${edgePixels},`,
    `at most ${grouped(mcp('tool-inputs.ts', 'MAX_TEXT_CHARACTERS'))}; the first ${grouped(mcp('view/choose-view.ts', 'DEFAULT_CHARACTERS'))} of a text`,
    `\`limit\` (${mcp('list-attachments-tool.ts', 'DEFAULT_LIMIT')}; at most `,
    `arguments lie more than ${scan('maxDepth')} deep`,
  ],
  'docs/hosted.md': [
    `more than ${seconds(constant('apps/hosted/src/warn-of-clock.ts', 'TOLERATED_SKEW_MS'))} apart is warned about`,
    `\`ATTACHE_DATABASE_POOL_SIZE\` (${setting('ATTACHE_DATABASE_POOL_SIZE')}) per process`,
  ],
  'docs/telemetry.md': [
    `A metric has at most ${constant('packages/telemetry/src/setup-metrics.ts', 'MAX_SERIES')} series`,
    `\`NaN\` if its database does not answer within ${seconds(constant('packages/telemetry/src/observe.ts', 'READ_TIMEOUT_MS'))}`,
    `cuts span values at\n${grouped(constant('packages/telemetry/src/setup-scrub.ts', 'MAX_VALUE_CHARACTERS'))} characters`,
  ],
  'docs/adr/0024-the-argument-gate.md': [
    `| objects and arrays inside one another | ${scan('maxDepth')} |`,
    `| their values | ${grouped(scan('maxValues'))} |`,
    `| different spellings that look like an id | ${grouped(scan('maxCandidates'))} |`,
    `| characters of keys and texts | ${scan('maxTextLength') / MIB} Mi |`,
    `| escapes that are open at once, each a digit of the one before | ${grouped(scan('maxOpenEscapes'))} |`,
    `| characters decoded layer by layer | ${scan('maxLayeredLength') / 1024} Ki |`,
  ],
  'ARCHITECTURE.md': [
    `waits up to ${seconds(constant(`${INGEST}/message/wait-for-inspection.ts`, 'WAIT_MS'))} for named files`,
    `at most ${constant('packages/domain/src/text/sanitize-name.ts', 'MAX_NAME_BYTES')} bytes`,
  ],
};

/** Tables of limits and defaults, by a heading above them: each row with a figure must be among what is said above. */
const tables = [
  ['docs/agents.md', '## Profiles', /^\| `limits\./],
  ['docs/http.md', '## Limits and rates', /^\| (?:requests|refused|bytes)/],
  ['docs/mcp.md', '## Limits', /^\| (?!What)/],
  ['docs/adr/0024-the-argument-gate.md', '## Decision', /^\| /],
] as const;

describe('a figure in a document', () => {
  const phrases = Object.entries(said).flatMap(([path, texts]) => texts.map((text) => [path, text] as const));

  it.each(phrases)('of %s is that of its constant: %s', (path, text) => {
    expect(read(path)).toContain(text);
  });

  it.each(tables)('in the tables of %s below “%s” has its constant, each', (path, heading, isRow) => {
    const document = read(path);
    const [section = ''] = document.slice(document.indexOf(`${heading}`) + heading.length).split(/^## /m);
    const rows = section
      .split('\n')
      .filter((line) => isRow.test(line) && /\d/.test(line.replace(/`[^`]*`|429|404/g, '')));
    expect(rows.length).toBeGreaterThan(2);
    expect(rows.filter((row) => !said[path]?.some((text) => row.includes(text)))).toEqual([]);
  });
});
