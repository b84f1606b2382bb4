import { expect, it } from 'vitest';
import { createAgentUsers } from './agent-users.ts';
import { shareUsers } from './share-users.ts';

const machine = { listBusy: async () => new Set<number>(), endAll: async () => {} };

it('keeps the last user of a range for the processes that look at files: no agent gets it, whatever folder it owns [BX-22]', async () => {
  const { agents, media } = shareUsers({ first: 5_000, last: 5_002 });
  expect(media).toEqual({ uid: 5_002, gid: 5_000 });
  const users = createAgentUsers(agents, machine);
  const lent = [await users.lend(5_002), await users.lend(), await users.lend()];
  expect(lent.map((each) => each?.uid)).toEqual([5_000, 5_001, undefined]);
});

it('leaves a range of one user to agents [BX-22]', () => {
  expect(shareUsers({ first: 5_000, last: 5_000 })).toEqual({
    agents: { first: 5_000, last: 5_000 },
    media: undefined,
  });
});
