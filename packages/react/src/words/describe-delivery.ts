import type { Delivery } from '@attache/contracts';
import type { Words } from './words.ts';

/** How far a delivery came. */
export function describeDelivery(delivery: Pick<Delivery, 'status' | 'waitsFor'>, agent: string, words: Words): string {
  const { deliveries, waitsFor } = words.strings;
  const { status, waitsFor: waiting } = delivery;
  return words.say(waiting && status !== 'written' ? waitsFor[waiting] : deliveries[status], { agent });
}
