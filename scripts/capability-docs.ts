import { catalog, type ModelRow, nameOfModel, nameOfTransport, type TransportRow } from '@attache/domain';
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
  return `# What reaches a model

${NOTE}

The catalog of version ${catalog.version}. What a target takes is put together from a row of each table: what its transport carries of what its model takes, within the tighter limits.
\`?\` is not known, and what is not known is blocked until someone says otherwise. What cannot go as it is becomes a smaller image, page images or text where the target takes those.
What can be sent in no form goes [by tool](#files-by-tool). For a file of yours, ask \`attache explain <file> --all\`; for a profile, \`GET /capabilities\`.

## Transports

Limits of images are those within which the very bytes arrive. *By path*: the program is given a file. An image that moves goes as it is only where a row says so:\nelsewhere it goes by tool, or is refused. The same rule decides what \`resource_view\` shows.

| Transport ${columns}
${catalog.transports.map((row) => describeRow(nameOfTransport(row), row)).join('\n')}

## Files by tool

These programs were seen to read a file of any kind with tools of their own, by the path that [\`attachment_file\`](mcp.md#attachment_file) told. A profile that denies them their tools denies this, too.

| Transport | Seen |
| --- | --- |
${catalog.transports.flatMap(describeReading).join('\n')}

## Models

| Model ${columns}
${catalog.models.map((row) => describeRow(nameOfModel(row), row)).join('\n')}
`;
}

function describeRow(name: string, { kinds: ways, evidence }: TransportRow | ModelRow): string {
  const cells = kinds.map((kind) => describeWay(ways[kind]));
  return `| \`${name.replaceAll('|', ', ')}\` | ${cells.join(' | ')} | ${evidence.note} (${evidence.date}) |`;
}

function describeReading(row: TransportRow): string[] {
  const { readsFiles } = row;
  return readsFiles === undefined ? [] : [`| \`${nameOfTransport(row)}\` | ${readsFiles.note} (${readsFiles.date}) |`];
}

function describeWay(way: Way): string {
  const said = 'carried' in way ? way.carried : way.taken;
  if (said === 'no') return 'no';
  const limits = [
    way.carriage === 'file' ? 'by path' : undefined,
    way.mimeTypes?.map((type) => type.slice(type.indexOf('/') + 1)).join(' '),
    way.maxEdgePixels && `≤ ${way.maxEdgePixels} px`,
    way.maxPixels && `≤ ${(way.maxPixels / 1e6).toFixed(1)} Mpx`,
    describeBytes(way.maxInlineBytes ?? way.maxFileBytes),
    way.maxCount && `≤ ${way.maxCount}`,
    way.maxPages && `≤ ${way.maxPages} pages`,
  ].filter((limit) => limit !== undefined && limit !== 0);
  return [said === 'unknown' ? '?' : 'yes', limits.join(', ')].filter((part) => part !== '').join(': ');
}

function describeBytes(bytes: number | undefined): string | undefined {
  if (bytes === undefined) return undefined;
  return bytes < MIB ? `≤ ${bytes.toLocaleString('en')} B` : `≤ ${(bytes / MIB).toFixed(1)} MiB`;
}
