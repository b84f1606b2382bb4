import type { Delivery } from '@attache/contracts';
import type { Words } from './words.ts';

/** How far a delivery came. */
export function describeDelivery(
  delivery: Pick<Delivery, 'status' | 'waitsFor' | 'failure'>,
  agent: string,
  words: Words,
): string {
  const { deliveries, waitsFor } = words.strings;
  const { status, waitsFor: waiting, failure } = delivery;
  const stage = failure?.code === 'delivery_outcome_unknown' ? 'unknown' : status;
  return words.say(waiting && status !== 'written' ? waitsFor[waiting] : deliveries[stage], { agent });
}
