import type { Part } from '@attache/contracts';
import type { PartType } from '../part-format.ts';
import { attachmentId, givenReference } from './references.ts';

/** One part of each kind. */
const everyPart: readonly Part[] = [
  { type: 'text', text: 'look' },
  { type: 'image', bytes: givenReference(1, 'image/png') },
  { type: 'text-file', bytes: givenReference(2, 'text/plain'), name: 'a "b"\n]c.txt' },
  { type: 'document', bytes: givenReference(3, 'application/pdf'), name: 'report.pdf' },
  {
    type: 'pages',
    name: 'scan.pdf',
    pages: [givenReference(41, 'image/png', 4), givenReference(42, 'image/jpeg', 4)],
  },
  { type: 'audio', bytes: givenReference(5, 'audio/wav'), name: 'call.wav' },
  { type: 'video', bytes: givenReference(6, 'video/mp4'), name: 'clip.mp4' },
  { type: 'descriptor', attachmentId: attachmentId(7), text: 'not shown' },
];

/** In the order above, whatever the order of `types`. */
export function givenParts(types: ReadonlySet<PartType>): Part[] {
  return everyPart.filter(({ type }) => types.has(type));
}

export const partTypes: readonly PartType[] = everyPart.map(({ type }) => type);
