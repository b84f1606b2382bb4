import { inject } from 'vitest';
import { openEmbeddedStack } from './embedded-stack.ts';
import { openHostedStack } from './hosted-stack.ts';
import type { Stack, StackOptions } from './stack-under-test.ts';

export type { ProfileInput, Stack, StackOptions } from './stack-under-test.ts';

/** Opens the stack that the specs run on: which one it is, the test project says. */
export async function openStack(options: StackOptions = {}): Promise<Stack> {
  return inject('stack') === 'hosted' ? openHostedStack(options) : openEmbeddedStack(options);
}
