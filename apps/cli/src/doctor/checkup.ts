import type { Check } from './finding.ts';
import type { Offer } from './profiles/offer.ts';

/** What is checked of a stack. */
export type Checkup = {
  stack: { dataDir: string } | { databaseUrl: string };
  checks: readonly Check[];
  offer: Offer;
};
