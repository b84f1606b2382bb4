import type { Warning } from '@attache/contracts';
import { essenceOf } from '@attache/contracts/media-type';
import { classifyMediaType, isActiveMediaType } from './classify-media-type.ts';
import { unifyMediaType } from './media-type-spellings.ts';
import { isNamedMediaType } from './name-media-type.ts';

// Formats that hold other formats, which their own bytes need not show.
const containers = new Set(['application/zip', 'application/x-cfb']);

/** The warning that a file's type differs from its declared type; none if nothing definite was declared. */
export function describeTypeDifference(declaredMimeType: string | undefined, mimeType: string): Warning[] {
  const declared = essenceOf(declaredMimeType ?? '');
  if (declared === undefined || declared === 'application/octet-stream') return [];
  if (unifyMediaType(declared) === unifyMediaType(mimeType)) return [];
  // The registered name of MPEG audio is that of all its layers.
  if (declared === 'audio/mpeg' && isMpegLayer(mimeType)) return [];
  // The ending of a name says which text it is.
  if (declared === 'text/plain' && classifyMediaType(mimeType) === 'text' && !isActiveMediaType(mimeType)) return [];
  if (holdsAnything(mimeType, unifyMediaType(declared))) return [];
  const message = `Declared as ${declared}, but its bytes are ${mimeType}.`;
  return [{ code: 'type_differs_from_declared', severity: 'warning', message }];
}

const isMpegLayer = (mimeType: string) => mimeType === 'audio/mp1' || mimeType === 'audio/mp2';

// Bytes of an unknown type may be a format that nobody here knows, but not one with a signature of its own.
function holdsAnything(mimeType: string, declared: string): boolean {
  if (classifyMediaType(declared) !== 'unsupported') return false;
  return containers.has(mimeType) || (mimeType === 'application/octet-stream' && !isNamedMediaType(declared));
}
