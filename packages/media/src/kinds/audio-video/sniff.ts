import type { Hint } from '../media-kind.ts';

const bareTypes = new Set(['audio/mpeg', 'audio/mp1', 'audio/mp2', 'audio/aac']);

/** Without a tag before it, only a few bits of the first frame show that it is sound. */
export function readRecordingHint(found: string, head: Buffer): Hint {
  return { isWeak: bareTypes.has(found) && !isTagged(head) };
}

/** Whether the file begins with a tag, behind which its sound is. */
export function isTagged(head: Buffer): boolean {
  return head.toString('latin1', 0, 3) === 'ID3';
}
