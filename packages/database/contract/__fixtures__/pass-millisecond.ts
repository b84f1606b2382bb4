import { setTimeout as delay } from 'node:timers/promises';

// A timer may fire up to a millisecond early.
const MORE_THAN_ONE_MS = 3;

/** Times are kept in milliseconds, and those of one come in no promised order: what follows this is later than what was before. */
export const passMillisecond = (): Promise<void> => delay(MORE_THAN_ONE_MS);
