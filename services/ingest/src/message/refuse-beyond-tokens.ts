import { Fault } from '@attache/contracts';
import type { DayTokens } from '@attache/database';

const DAY_MS = 86_400_000;

/** Refuses a message of a tenant whose agents have used up the day's tokens. Turns that run come to their own end. */
export function refuseBeyondTokens({ day, tokensPerDay, usedTokens }: DayTokens, now = Date.now()): void {
  if (tokensPerDay === null || usedTokens < tokensPerDay) return;
  const leftMs = Date.parse(day) + DAY_MS - now;
  throw new Fault(
    'QUOTA_EXCEEDED',
    `The tenant's agents have used ${usedTokens} of ${tokensPerDay} tokens of models today. Send the message again on the next day in UTC, or have the operator raise the limit.`,
    { retryable: true, retryAfterSeconds: Math.max(1, Math.ceil(leftMs / 1000)) },
  );
}
