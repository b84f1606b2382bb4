import { DEFAULT_LINE_BYTES, runtimes } from '@attache/contracts';
import { type ModelRow, nameOfModel, nameOfTransport, type TransportRow } from '@attache/domain';
import { catalog } from '@attache/programs/catalog';
import { drivenRuntimes } from '@attache/programs/find-program';
import { type GeneratedDoc, NOTE } from './generated-doc.ts';

const kinds = ['image', 'document', 'text', 'audio', 'video'] as const;
const MIB = 1024 * 1024;

type Way = TransportRow['kinds']['image'] | ModelRow['kinds']['image'];

/** Writes the catalog of transports and models for readers. */
export function composeCapabilityDocs(): GeneratedDoc[] {
  return [{ path: 'docs/capabilities.md', text: describeCatalog() }];
}

function describeCatalog(): string {
  const columns = '| image | PDF | text | sound | video | Seen or read |\n| --- | --- | --- | --- | --- | --- | --- |';
  return `# Capabilities of programs and models

${NOTE}

The catalog of version ${catalog.version}. A target combines one row of each table: it takes what its model takes and its transport carries, within the tighter limits.
\`?\` means unknown. Unknown is blocked until an operator or a tenant says otherwise. A file that cannot go as it is becomes a smaller image, page images or text, if the target takes those.
A file that no form fits goes [by tool](#files-by-tool). For a file of yours, ask \`attache explain <file> --all\`; for a profile, \`GET /capabilities\`.
Two more limits apply: the profile's \`limits.lineBytes\` for what is written to a program (${DEFAULT_LINE_BYTES / 1024 / 1024} MiB by default), and a tenant's override.

## Transports

The planner enforces these limits: bytes and pixels of one file, pages of one document, images *at once* in a message. Within the limits of images, the trials saw the very bytes
arrive; the last column and [compatibility.md](compatibility.md) say what they saw beyond. *By path*: the program receives a file. *No driver*: this release cannot start such a program; the row is
kept for a later driver. A moving image goes unchanged only where a row says so; elsewhere it goes by tool, or is refused. The same rule decides what \`resource_view\` shows.

| Transport ${columns}
${catalog.transports.map((row) => describeRow(`${nameCell(nameOfTransport(row))}${isUndriven(row) ? ', no driver' : ''}`, row)).join('\n')}

## Files by tool

In trials, these programs read a file of any kind with their own tools, by the path that [\`attachment_file\`](mcp.md#attachment_file) returned. A profile that denies them their tools denies this, too.

| Transport | Seen |
| --- | --- |
${catalog.transports.flatMap(describeReading).join('\n')}

## Contradictions

A row records what trials showed of one version of a program. Where [receipts are proven on the wire](agents.md#meaning-of-written-and-responded), each turn shows more: a file may be \`dropped\`, or leave as other bytes
although the row does not say so. Three such turns in at least two sessions of a tenant, for one kind, one version of the program and the same settings of the profile, contradict the row for that tenant and for profiles with these settings. \`GET /capabilities\` then returns
\`transport: "no"\` for the kind, with evidence \`contradicted\`, its day and what was seen. Plans choose another form, or are blocked with that sentence. The tenant's audit log records \`capability.contradicted\`.
Pages of a document count as images. Contradictions neither count nor change what a tool shows.

A contradiction ends when an agent starts with another version of the program, as the program reports it or as npm installed it. If the version is unknown, only the operator can end it. A profile whose settings change is tried again: the settings are all of the profile but its name, its limits and the folders of its command. The operator can also record one for
all tenants:

\`\`\`sh
attache capability list --tenant acme
attache capability restore acp --program opencode --kind image --tenant acme    # and counts its turns again
attache capability contradict acp --program opencode --kind image --program-version 1.18.33 --reason "It leaves pictures out."
attache capability restore acp --program opencode --kind image
\`\`\`

Runtime and program are those of the tables above; \`--provider\` distinguishes rows that apply to some providers only. \`attache explain\` reads only the catalog of its release, and knows no stack.
A row may say that its program re-encodes each picture; a plan then warns with \`program_alters_image\`. No row of this release does: within the limits above, the trials found the very bytes.

## Models

*Whole request*: the largest size of the message and all that the agent already holds, serialised together.

| Model | whole request ${columns.replace('| ---', '| --- | ---')}
${catalog.models.map((row) => describeRow(`${nameCell(nameOfModel(row))} | ${describeBytes(row.maxRequestBytes) ?? '-'}`, row)).join('\n')}
`;
}

function describeRow(name: string, { kinds: ways, evidence }: TransportRow | ModelRow): string {
  const cells = kinds.map((kind) => describeWay(ways[kind]));
  return `| ${name} | ${cells.join(' | ')} | ${evidence.note} (${evidence.date}) |`;
}

function describeReading(row: TransportRow): string[] {
  const { readsFiles } = row;
  return readsFiles === undefined ? [] : [`| \`${nameOfTransport(row)}\` | ${readsFiles.note} (${readsFiles.date}) |`];
}

const nameCell = (name: string): string => `\`${name.replaceAll('|', ', ')}\``;

const isUndriven = ({ transport }: TransportRow): boolean =>
  runtimes.some((runtime) => runtime === transport && !drivenRuntimes.has(runtime));

function describeWay(way: Way): string {
  const said = 'carried' in way ? way.carried : way.taken;
  if (said === 'no') return 'no';
  const limits = [
    way.carriage === 'file' ? 'by path' : undefined,
    way.mimeTypes?.map((type) => type.slice(type.indexOf('/') + 1)).join(' '),
    way.maxEdgePixels && `≤ ${way.maxEdgePixels} px`,
    way.maxPixels && `≤ ${(way.maxPixels / 1e6).toFixed(1)} Mpx`,
    describeBytes(leastOf(way.maxInlineBytes, way.carriage === 'file' ? way.maxFileBytes : undefined)),
    way.maxCount && `≤ ${way.maxCount} at once`,
    way.maxPages && `≤ ${way.maxPages} pages`,
    'animated' in way && way.animated === 'yes' ? 'also moving' : undefined,
  ].filter((limit) => limit !== undefined && limit !== 0);
  return [said === 'unknown' ? '?' : 'yes', limits.join(', ')].filter((part) => part !== '').join(': ');
}

function describeBytes(bytes: number | undefined): string | undefined {
  if (bytes === undefined) return undefined;
  return bytes < MIB ? `≤ ${bytes.toLocaleString('en')} B` : `≤ ${(bytes / MIB).toFixed(1)} MiB`;
}

/** The one that counts, as the planner sees it. */
function leastOf(...limits: (number | undefined)[]): number | undefined {
  const known = limits.filter((limit) => limit !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
