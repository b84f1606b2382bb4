import { DEFAULT_LINE_BYTES, runtimes } from '@attache/contracts';
import { type ModelRow, nameOfModel, nameOfTransport, type TransportRow } from '@attache/domain';
import { catalog } from '@attache/programs/catalog';
import { drivenRuntimes } from '@attache/programs/find-program';
import { type GeneratedDoc, NOTE } from './generated-doc.ts';

const kinds = ['image', 'document', 'text', 'audio', 'video'] as const;
const MIB = 1024 * 1024;

type Way = TransportRow['kinds']['image'] | ModelRow['kinds']['image'];

/** What is known of transports and models, as people read it. */
export function composeCapabilityDocs(): GeneratedDoc[] {
  return [{ path: 'docs/capabilities.md', text: describeCatalog() }];
}

function describeCatalog(): string {
  const columns = '| image | PDF | text | sound | video | Seen or read |\n| --- | --- | --- | --- | --- | --- | --- |';
  return `# Capabilities of programs and models

${NOTE}

The catalog of version ${catalog.version}. What a target takes is put together from a row of each table: what its transport carries of what its model takes, within the tighter limits.
\`?\` is not known, and what is not known is blocked until someone says otherwise. What cannot go as it is becomes a smaller image, page images or text where the target takes those.
What can be sent in no form goes [by tool](#files-by-tool). For a file of yours, ask \`attache explain <file> --all\`; for a profile, \`GET /capabilities\`.
Two more limits count beside these: \`limits.lineBytes\` of the profile for what is written to a program, ${DEFAULT_LINE_BYTES / 1024 / 1024} MiB without it, and what a tenant's override says.

## Transports

Limits are those that the planner keeps: bytes and pixels of one file, pages of one document, images *at once* in a message. Those of images are the ones within which the very bytes were seen to
arrive; what was seen beyond them is in the last column and in [compatibility.md](compatibility.md). *By path*: the program is given a file. *No driver*: this release cannot start such a program; the row is
kept for a driver to come. An image that moves goes as it is only where a row says so: elsewhere it goes by tool, or is refused. The same rule decides what \`resource_view\` shows.

| Transport ${columns}
${catalog.transports.map((row) => describeRow(`${nameCell(nameOfTransport(row))}${isUndriven(row) ? ', no driver' : ''}`, row)).join('\n')}

## Files by tool

These programs were seen to read a file of any kind with tools of their own, by the path that [\`attachment_file\`](mcp.md#attachment_file) told. A profile that denies them their tools denies this, too.

| Transport | Seen |
| --- | --- |
${catalog.transports.flatMap(describeReading).join('\n')}

## Contradictions

A row is what trials showed of one version of a program. Where [receipts are proven on the wire](agents.md#meaning-of-written-and-responded), each turn shows more: that a file was \`dropped\`, or left as other bytes
although the row does not say so. Three such turns in at least two sessions of a tenant, of one kind and one version of the program, contradict the row for that tenant. \`GET /capabilities\` then has
\`transport: "no"\` for the kind, with evidence \`contradicted\`, its day and what was seen; plans take another way, or are blocked with that sentence; the tenant's audit log has \`capability.contradicted\`.
Pages of a document count as images. What a tool shows is not looked at, and does not change.

It ends when an agent starts whose program has another version, as the program says it or as npm installed it. Of one whose version is not known it ends by the operator alone, who can also say it for
all tenants:

\`\`\`sh
attache capability list --tenant acme
attache capability restore acp --program opencode --kind image --tenant acme    # and counts its turns again
attache capability contradict acp --program opencode --kind image --program-version 1.18.33 --reason "It leaves pictures out."
attache capability restore acp --program opencode --kind image
\`\`\`

Runtime and program are those of the tables above; \`--provider\` tells rows apart that hold for some providers. \`attache explain\` reads the catalog of its release alone, and knows nothing of a stack.
A row may say that its program makes other bytes of each picture; a plan then warns with \`program_alters_image\`. No row of this release does: within the limits above, the trials found the very bytes.

## Models

*Whole request*: what the message and all that the agent already holds may be together, serialised.

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
