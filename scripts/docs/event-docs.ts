import { readFileSync } from 'node:fs';
import {
  type DescribedField,
  describeEventObjects,
  describeEvents,
  describeOutputItems,
  type EventKind,
  eventKinds,
} from '@attache/contracts';
import { type GeneratedDoc, NOTE } from './generated-doc.ts';

const golden: Record<string, { data: object }> = JSON.parse(
  readFileSync(new URL('../../packages/contracts/golden/v1/events.json', import.meta.url), 'utf8'),
);

/** Every kind of event of a session's log, with its payload. */
export function composeEventDocs(): GeneratedDoc[] {
  return [{ path: 'docs/events.md', text: describePage() }];
}

function describePage(): string {
  const kinds = describeEvents().map(
    ({ kind, when, fields }) => `## ${kind}\n\n${when}\n\n${tabulate(fields)}${exampleOf(kind)}`,
  );
  const objects = describeEventObjects().map(({ name, fields }) => `### ${name}\n\n${tabulate(fields)}`);
  const items = describeOutputItems().map(({ type, fields }) => `| \`${type}\` | ${listFields(fields)} |`);
  return `# Events of a session

${NOTE}

\`GET /sessions/{sessionId}/events\` gives the log of a session, as pages or live ([http.md](http.md#the-session-log)). An event:

\`\`\`json
${JSON.stringify(readGolden('attachment.added'), null, 2)}
\`\`\`

\`seq\` rises with each event of a session; \`kind\` says what \`data\` holds; \`actor\` is who did it: a key, a user, an agent or a service. A release may add
kinds and fields; those that are here keep their meaning. No event holds the name of a file or the text of a person: read the attachment or the message by its id.

A live stream has one more kind, \`agent.delta\`, a piece of what the agent is saying: \`{kind, agentId, deliveryId?, type, text}\`. It has no id and no \`seq\`, and is never stored.

Kinds: ${eventKinds.map((kind) => `[\`${kind}\`](#${kind.replaceAll('.', '')})`).join(', ')}.

${kinds.join('\n\n')}

## Objects

The tables above refer to these types.

### item

| \`type\` | Holds |
| --- | --- |
${items.join('\n')}

${objects.join('\n\n')}
`;
}

function tabulate(fields: readonly DescribedField[]): string {
  if (fields.length === 0) return '`data` is empty.';
  const rows = fields.map(
    ({ name, type, isOptional }) => `| \`${name}\` | ${type} | ${isOptional ? 'may be missing' : ''} |`,
  );
  return `| Field | Is | |\n| --- | --- | --- |\n${rows.join('\n')}`;
}

const listFields = (fields: readonly DescribedField[]): string =>
  fields.map(({ name, type, isOptional }) => `\`${name}\`${isOptional ? '?' : ''}: ${type}`).join('; ');

/** The first example of a kind that the contract keeps. */
function readGolden(kind: EventKind): { data: object } {
  const found = Object.entries(golden).find(([name]) => `${name}.`.startsWith(`event.${kind}.`));
  if (found === undefined) throw new Error(`no example of ${kind}`);
  return found[1];
}

function exampleOf(kind: EventKind): string {
  const { data } = readGolden(kind);
  return Object.keys(data).length === 0 ? '' : `\n\n\`\`\`json\n${JSON.stringify(data, null, 2)}\n\`\`\``;
}
