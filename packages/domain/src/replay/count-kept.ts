import type { ReplayPolicy } from '@attache/contracts';

/** Counts the messages, from the last one back, whose originals the policy keeps. */
export function countKept({ originals }: ReplayPolicy, messageCount: number): number {
  if (originals === 'none') return 0;
  return originals === 'untilCompaction' ? messageCount : Math.min(messageCount, originals.turns);
}
