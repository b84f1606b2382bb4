import { existsSync, readFileSync } from 'node:fs';
import { showLogOfFailures } from '@attache/test-harness';
import { inject } from 'vitest';
import { openOwnEmbedded } from './embedded-stack.ts';
import { openOwnHosted } from './hosted-stack.ts';
import { joinStack } from './join-stack.ts';
import type { OwnStack, OwnStackOptions, Stack, StackOptions } from './stack-under-test.ts';

export type { OwnStack, Stack } from './stack-under-test.ts';

/** Opens tenants of the suite's own on the stack that this worker's suites share: which one it is, the test project says. */
export async function openStack(options: StackOptions = {}): Promise<Stack> {
  const facts = inject('sharedStacks')[Number(process.env.VITEST_POOL_ID) - 1];
  if (facts === undefined) throw new Error(`there is no stack for worker ${process.env.VITEST_POOL_ID}`);
  const ends = Object.entries(facts.logFiles).map(([name, file]) =>
    showLogOfFailures(name, () => (existsSync(file) ? readFileSync(file, 'utf8') : '')),
  );
  return Object.assign(await joinStack(facts, options), {
    async stop() {
      for (const end of ends) end();
    },
  });
}

/** Starts a stack for one suite alone, for what would disturb others, or be disturbed by them. */
export async function openOwnStack(options: OwnStackOptions = {}): Promise<OwnStack> {
  return inject('stack') === 'hosted' ? openOwnHosted(inject('servers'), options) : openOwnEmbedded(options);
}
