import type { SandboxPolicy } from '@attache/programs/settle-sandbox';
import type { Check } from './finding.ts';
import type { Offer } from './profiles/offer.ts';

/** The checks of a stack. */
export type Checkup = {
  stack: { dataDir: string } | { databaseUrl: string };
  /** The data folder of the service on this machine. */
  dataDir: string;
  checks: readonly Check[];
  /** When agents of profiles that do not say run in a sandbox. */
  policy: SandboxPolicy;
  offer: Omit<Offer, 'sandbox' | 'bubblewrap'>;
};
