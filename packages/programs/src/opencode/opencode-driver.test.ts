import { expect, it } from 'vitest';
import { openCodeDriver } from './opencode-driver.ts';

it('a request for permission is about a tool of Attaché only where the program itself says so, and not what its model wrote [BX-21]', () => {
  const judge = (call: Record<string, unknown>) => openCodeDriver.acp.isAboutAttache(call, { meta: {}, earlier: {} });
  const own = { kind: 'other', title: 'attache_resource_view', rawInput: {} };
  expect(judge(own)).toBe(true);
  // A command of this name has its arguments with it.
  expect(judge({ ...own, rawInput: { command: 'attache_resource_view' } })).toBe(false);
  expect(judge({ ...own, kind: 'execute' })).toBe(false);
});
