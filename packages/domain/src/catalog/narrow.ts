import type { TriState } from '@attache/contracts';

/** A "no" always counts; a "yes" only where nothing was known. */
export function narrow(known: TriState, said: boolean | undefined): TriState {
  if (said === undefined) return known;
  if (!said) return 'no';
  return known === 'unknown' ? 'yes' : known;
}
