import type { Refusal, RefusalApi } from '../quarantine/refusal-meaning.ts';

/** A provider that asks for more has a quota in mind, and not a rate. */
const MOST_OF_RATE_MS = 10 * 60_000;

/** The wait that a provider asks for with a 429, in its head or, of Google, in its body. Undefined if it names none, or one that is longer than a rate limit lasts. */
export function findWait({
  api,
  refusal,
  retryAfterMs,
}: {
  api: RefusalApi;
  refusal: Refusal;
  retryAfterMs: number | undefined;
}): number | undefined {
  const waitMs = retryAfterMs ?? (api === 'google' ? readDelay(refusal.text) : undefined);
  return waitMs !== undefined && waitMs < MOST_OF_RATE_MS ? waitMs : undefined;
}

/** `google.rpc.RetryInfo` among the details of an error. */
function readDelay(text: string): number | undefined {
  const [, seconds] = /"retryDelay"\s*:\s*"(\d{1,9}(?:\.\d{1,9})?)s"/.exec(text) ?? [];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}
