import type { AttachmentFacts } from '@attache/contracts';
import { formatBytes } from '../operator/format-table.ts';
import type { LocalFile } from './inspect-locally.ts';

/** Describes a file in lines for people. */
export function describeFile(file: LocalFile): string[] {
  const { name, mimeType, declaredMimeType, kind, sizeBytes, status, facts, warnings, failure } = file;
  const declared =
    declaredMimeType === undefined || declaredMimeType === mimeType ? '' : `, by its name ${declaredMimeType}`;
  const found = describeFacts(facts);
  return [
    name,
    `  ${mimeType}${declared}; kind ${kind}; ${formatBytes(sizeBytes)}`,
    ...(found.length === 0 ? [] : [`  ${found.join(', ')}`]),
    ...warnings.map(({ message }) => `  Warning: ${message}`),
    ...(status === 'rejected' && failure ? [`  Rejected, ${failure.code}: ${failure.userMessage}`] : []),
  ];
}

function describeFacts(facts: AttachmentFacts): string[] {
  const { width, height, animated, frames, hasAlpha, pages, textBytes, encoding, hasByteOrderMark, durationMs } = facts;
  const codecs = [facts.videoCodec, facts.audioCodec].filter((codec) => codec !== undefined);
  return [
    width !== undefined && height !== undefined && `${width} × ${height} pixels`,
    animated === true && (frames === undefined ? 'moving' : `moving, ${frames} frames`),
    hasAlpha === true && 'with transparency',
    pages !== undefined && (pages === 1 ? '1 page' : `${pages} pages`),
    textBytes === 0 && 'no text of its own (a scan)',
    textBytes !== undefined && textBytes > 0 && `${formatBytes(textBytes)} of text`,
    encoding !== undefined && `text in ${encoding}`,
    hasByteOrderMark === true && 'with a byte order mark',
    codecs.length > 0 && `${codecs.join(' and ')}${facts.container === undefined ? '' : ` in ${facts.container}`}`,
    durationMs !== undefined && `${(durationMs / 1000).toFixed(1)} s`,
  ].filter((fact) => fact !== false);
}
