import { expect, it } from 'vitest';
import { checkOfMediaWorkers, type MediaWorkers } from './check-media-workers.ts';

const given: MediaWorkers = { isSandboxed: true, isRoot: true, user: { uid: 5_009, gid: 5_000 }, barrier: undefined };
const run = (changed: Partial<MediaWorkers>) => checkOfMediaWorkers(async () => ({ ...given, ...changed })).run();

it('says as whom media workers run, and what keeps them from a user of their own [BX-22]', async () => {
  expect(await run({})).toEqual({ state: 'ok', detail: expect.stringContaining('the user 5009') });
  expect(await run({ barrier: '/root' })).toMatchObject({
    ...{ state: 'warning', detail: expect.stringMatching(/as root .* user 5009 cannot enter or read \/root$/) },
  });
  expect(await run({ user: undefined })).toMatchObject({
    ...{
      state: 'warning',
      detail: expect.stringContaining('root'),
      fix: expect.stringContaining('ATTACHE_AGENT_UIDS'),
    },
  });
  expect(await run({ user: undefined, isRoot: false })).toMatchObject({
    ...{ state: 'ok', detail: expect.stringContaining('the user of their service') },
  });
  expect(await run({ isSandboxed: false })).toMatchObject({
    ...{ state: 'warning', detail: expect.stringContaining('without a sandbox') },
  });
});
