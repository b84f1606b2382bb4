import type { ReplayPolicy } from '@attache/contracts';

/** Of how many messages, counted from the last, the policy keeps the originals. */
export function countKept({ originals }: ReplayPolicy, messageCount: number): number {
  if (originals === 'none') return 0;
  return originals === 'untilCompaction' ? messageCount : Math.min(messageCount, originals.turns);
}
