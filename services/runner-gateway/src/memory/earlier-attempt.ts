import type { NextDelivery } from '@attache/database';

/**
 * Whether the conversation that an agent would continue holds an earlier attempt of this delivery: programs keep the message of a turn that failed, and its
 * words and files would be in every request twice.
 */
export function holdsEarlierAttempt({
  row: { leftBefore },
  agent: { contextSince },
}: Pick<NextDelivery, 'row' | 'agent'>): boolean {
  if (!leftBefore || leftBefore.bytes === 0 || contextSince === null) return false;
  return Date.parse(leftBefore.at) >= contextSince.getTime();
}
