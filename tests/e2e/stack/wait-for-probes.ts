import { awaitCarried } from '@attache/test-harness';
import { joinStack } from './join-stack.ts';
import type { StackFacts } from './stack-under-test.ts';

/** Waits until these profiles are known to carry pictures. A tenant of its own asks: a suite's rate limits count none of these requests. */
export async function waitForProbes(facts: StackFacts, profiles: readonly string[]): Promise<void> {
  const { api } = await joinStack(facts, {});
  await awaitCarried(api, profiles);
}
