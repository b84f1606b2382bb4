import { setTimeout as delay } from 'node:timers/promises';
import type { Api } from './api.ts';

const WITHIN_MS = 120_000;
const POLL_MS = 200;

type Told = { capability: { image: { transport: string } } };

/**
 * Waits until these profiles are known to carry pictures. A program is asked behind the start of its gateway, and what it carries
 * is refused until then. The tenant of `api` is the wait's own: none that a test counts the requests of.
 */
export async function awaitCarried(api: Api, profiles: readonly string[]): Promise<void> {
  const isKnown = async (profile: string) => {
    const { status, body } = await api.call<Told>('GET', `/capabilities?profile=${profile}`);
    return status === 200 && body.capability.image.transport === 'yes';
  };
  const until = performance.now() + WITHIN_MS;
  for (const profile of profiles) {
    while (!(await isKnown(profile))) {
      if (performance.now() > until)
        throw new Error(`profile ${profile} is not known to carry pictures after ${WITHIN_MS} ms`);
      await delay(POLL_MS);
    }
  }
}
