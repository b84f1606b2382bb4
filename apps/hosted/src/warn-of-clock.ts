import type { Logger } from '@attache/telemetry';

/** Signed URLs and leases live by the clock: more than this apart is worth a word. */
const TOLERATED_SKEW_MS = 5_000;

/** Describes clocks that are apart: one sentence each, with whose clock and how far. Positive: ours is ahead. */
export function describeSkews(skewsMs: Readonly<Record<string, number>>): string[] {
  return Object.entries(skewsMs)
    .filter(([, skewMs]) => Math.abs(skewMs) > TOLERATED_SKEW_MS)
    .map(([server, skewMs]) => {
      const seconds = Math.round(Math.abs(skewMs) / 1000);
      const side = skewMs > 0 ? 'ahead of' : 'behind';
      return `The clock of this machine is ${seconds} s ${side} that of the ${server}: set both by NTP, or signed URLs end at wrong times.`;
    });
}

export function warnOfClock(log: Logger, skewsMs: Readonly<Record<string, number>>): void {
  for (const sentence of describeSkews(skewsMs)) log.warn(sentence);
}
