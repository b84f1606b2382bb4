import { setTimeout as delay } from 'node:timers/promises';
import { joinStack } from './join-stack.ts';
import type { StackFacts } from './stack-under-test.ts';

const WITHIN_MS = 120_000;
const POLL_MS = 50;

type Told = { capability: { image: { transport: string } } };

/**
 * Waits until these profiles are known to carry pictures. A program is asked behind the start of its gateway, and what it carries
 * is refused until then.
 */
export async function waitForProbes(facts: StackFacts, profiles: readonly string[]): Promise<void> {
  // A tenant of its own asks: a suite's rate limits count none of these requests.
  const { api } = await joinStack(facts, {});
  const isKnown = async (profile: string) => {
    const { status, body } = await api.call<Told>('GET', `/capabilities?profile=${profile}`);
    return status === 200 && body.capability.image.transport === 'yes';
  };
  const until = performance.now() + WITHIN_MS;
  for (const profile of profiles) {
    while (!(await isKnown(profile))) {
      if (performance.now() > until) throw new Error(`profile ${profile} was not asked within ${WITHIN_MS} ms`);
      await delay(POLL_MS);
    }
  }
}
