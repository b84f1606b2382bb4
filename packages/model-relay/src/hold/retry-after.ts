import type { IncomingMessage } from 'node:http';

/** No provider holds a key for longer at a time; then one request asks again. */
const MAX_WAIT_MS = 10 * 60_000;

/** How long a provider asks to wait that takes no more requests under a key (429, 529): its Retry-After in milliseconds; undefined where it says none. */
export function readRetryAfter(
  { headers }: Pick<IncomingMessage, 'headers'>,
  nowMs: number = Date.now(),
): number | undefined {
  const said = headers['retry-after']?.trim() ?? '';
  const waitMs = /^\d+(?:\.\d+)?$/.test(said)
    ? Number(said) * 1000
    : /\bGMT$/.test(said)
      ? Date.parse(said) - nowMs
      : Number.NaN;
  return waitMs > 0 ? Math.min(waitMs, MAX_WAIT_MS) : undefined;
}

/** Whether the provider takes no more under this key for now. */
export const isLimited = (status: number | undefined): boolean => status === 429 || status === 529;
