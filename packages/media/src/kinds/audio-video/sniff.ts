import type { Hint } from '../media-kind.ts';

/** Without a tag before it, only a few bits of the first frame show that it is sound. */
export function readRecordingHint(found: string, head: Buffer): Hint {
  return { isWeak: (found === 'audio/mpeg' && !isTagged(head)) || found === 'audio/aac' };
}

/** Whether the file begins with a tag, behind which its sound is. */
export function isTagged(head: Buffer): boolean {
  return head.toString('latin1', 0, 3) === 'ID3';
}
