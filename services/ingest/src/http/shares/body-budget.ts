import { Fault } from '@attache/contracts';
import { createPace, type Pace } from '@attache/intake';
import { createShares } from './shares.ts';

const MIB = 1024 * 1024;

/** A body is held as bytes, as text and as the parsed value. A text that is cut out before stays bytes. */
const COPIES = 3;

/** Bodies that are not longer are not counted: connections bound them. */
export const FREE_BYTES = 64 * 1024;

const limits = { own: 96 * MIB, all: 256 * MIB };

/** One body of the longest is read as fast as it comes; more take turns with other requests to this process. */
const paceLimits = {
  perSecond: 16 * MIB,
  atOnce: 16 * MIB,
};

/** Words cost twenty times as much as bytes that are cut out: they are parsed, looked through, stored and sent to agents. */
const wordsPaceLimits = {
  perSecond: MIB,
  atOnce: 4 * MIB,
};

/** How much of a process's memory and time the JSON bodies of all tenants, and those of one tenant, may take at once (BX-27). */
export type BodyBudget = {
  /** Holds room for a body of at most `sizeBytes`, `textBytes` of them as text, until the given function is called; a fault if there is none. */
  take(tenantId: string, body: { sizeBytes: number; textBytes: number }): () => void;
  /** How long a reader of a tenant's counted bodies waits after so many bytes. */
  pace: Pace;
  /** How long a tenant's next words wait, of a body that is longer than those that are not counted. */
  paceWords: Pace;
};

const retry = { retryable: true, retryAfterSeconds: 2 } as const;

const refusals = {
  own: () =>
    new Fault('RATE_LIMITED', 'Too many large bodies of your platform are read at once. Send fewer at a time.', retry),
  all: () =>
    new Fault('BACKLOG_FULL', 'Too many large bodies are read at once. Send the request again in a moment.', retry),
};

export function createBodyBudget(): BodyBudget {
  const shares = createShares(limits);
  return {
    take(tenantId, { sizeBytes, textBytes }) {
      if (sizeBytes <= FREE_BYTES) return () => {};
      const amount = sizeBytes + (COPIES - 1) * Math.min(sizeBytes, textBytes);
      const release = shares.take(tenantId, amount);
      if (typeof release !== 'function') throw refusals[release]();
      return release;
    },
    pace: createPace(paceLimits),
    paceWords: createPace(wordsPaceLimits),
  };
}
