import { expect, it } from 'vitest';
import { checksOfAgentUsers } from './check-agent-users.ts';

const run = async (...given: Parameters<typeof checksOfAgentUsers>) =>
  Promise.all(checksOfAgentUsers(...given).map((check) => check.run()));

it('says as whom sandboxed agents run, where the gateway is root and can choose [BX-22]', async () => {
  const range = { first: 200_000, last: 265_535 };
  expect(await run(range, true)).toEqual([{ state: 'ok', detail: expect.stringContaining('200000 to 265534') }]);
  expect(await run(undefined, true)).toEqual([
    { state: 'warning', detail: expect.stringContaining('root'), fix: expect.stringContaining('ATTACHE_AGENT_UIDS') },
  ]);
  expect(await run(undefined, false)).toEqual([]);
});
