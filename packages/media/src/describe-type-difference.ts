import type { Warning } from '@attache/contracts';
import { classifyMediaType, essenceOf, isActiveMediaType } from '@attache/domain';
import { unifyMediaType } from './media-type-spellings.ts';

// Formats that hold other formats, which their own bytes need not tell.
const containers = new Set(['application/zip', 'application/x-cfb', 'application/octet-stream']);

/** The warning that a file is not what it was said to be; none where nothing definite was said. */
export function describeTypeDifference(declaredMimeType: string | undefined, mimeType: string): Warning[] {
  const declared = essenceOf(declaredMimeType ?? '');
  if (declared === undefined || declared === 'application/octet-stream') return [];
  if (unifyMediaType(declared) === unifyMediaType(mimeType)) return [];
  // The ending of a name says which text it is.
  if (declared === 'text/plain' && classifyMediaType(mimeType) === 'text' && !isActiveMediaType(mimeType)) return [];
  if (containers.has(mimeType) && classifyMediaType(declared) === 'unsupported') return [];
  const message = `Declared as ${declared}, but its bytes are ${mimeType}.`;
  return [{ code: 'type_differs_from_declared', severity: 'warning', message }];
}
