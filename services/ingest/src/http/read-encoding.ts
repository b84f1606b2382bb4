import { Fault } from '@attache/contracts';
import { findLabel } from '@attache/domain';

/** Label of an encoding that a caller names. */
export function readEncoding(name: string): string {
  const label = findLabel(name);
  if (label !== undefined) return label;
  throw new Fault(
    'INVALID_REQUEST',
    'encoding must be a label of the WHATWG Encoding Standard, utf-32le, utf-32be, or a code page such as cp850.',
  );
}
