import type { UserRange } from '@attache/agent-process';
import { expect, it } from 'vitest';
import { checksOfAgentUsers } from './check-agent-users.ts';

const run = async (...[range, isRoot]: [UserRange | undefined, boolean]) =>
  Promise.all(checksOfAgentUsers(range, isRoot, '/no/such/folder').map((check) => check.run()));

it('says as whom sandboxed agents run, where the gateway is root and can choose [BX-22]', async () => {
  const range = { first: 200_000, last: 265_535 };
  expect(await run(range, true)).toEqual([
    { state: 'ok', detail: expect.stringContaining('200000 to 265534') },
    { state: 'ok', detail: '/no/such/folder is not there yet' },
  ]);
  expect(await run(undefined, true)).toEqual([
    { state: 'warning', detail: expect.stringContaining('root'), fix: expect.stringContaining('ATTACHE_AGENT_UIDS') },
  ]);
  expect(await run(undefined, false)).toEqual([]);
});
