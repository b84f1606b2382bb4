import { isFault } from '@attache/contracts';

const ATTEMPTS = 8;
const FIRST_DELAY_MS = 400;

/** Repeats work while the blob store is away, for up to 50 s: a restart of the store is no reason to fail a delivery or to lose a file. */
export async function retryStorage<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isFault(error, 'STORAGE_UNAVAILABLE') || attempt === ATTEMPTS) throw error;
      await new Promise((wake) => setTimeout(wake, FIRST_DELAY_MS * 2 ** (attempt - 1)));
    }
  }
}
