import { expect, it } from 'vitest';
import { createAgentUsers } from './agent-users.ts';
import type { UsersOfMachine } from './users-of-machine.ts';

const range = { first: 5_000, last: 5_002 };

function given(busy: number[] = []) {
  const running = new Set(busy);
  const ended: number[] = [];
  const machine: UsersOfMachine = {
    listBusy: async ({ first, last }) => new Set([...running].filter((uid) => uid >= first && uid <= last)),
    async endAll(uid) {
      ended.push(uid);
    },
  };
  return { users: createAgentUsers(range, machine), running, ended };
}

it('lends each user once, and none when all are lent [BX-22]', async () => {
  const { users } = given();
  const lent = await Promise.all([users.lend(), users.lend(), users.lend(), users.lend()]);
  expect(lent.map((each) => each?.uid)).toEqual([5_000, 5_001, 5_002, undefined]);
  expect(lent[1]).toMatchObject({ uid: 5_001, gid: 5_000 });
});

it('lends the one that owns a folder already, unless another agent has it [BX-22]', async () => {
  const { users } = given();
  expect(await users.lend(5_002)).toMatchObject({ uid: 5_002 });
  expect(await users.lend(5_002)).toMatchObject({ uid: 5_000 });
  expect(await users.lend(0)).toMatchObject({ uid: 5_001 });
});

it('does not lend a user again while anything runs as it [BX-20 BX-22]', async () => {
  const { users, running, ended } = given();
  const first = await users.lend();
  await users.lend();
  await users.lend();
  running.add(5_000);
  const back = first?.giveBack();
  expect(await users.lend()).toBeUndefined();
  running.delete(5_000);
  await back;
  expect(ended).toContain(5_000);
  expect(await users.lend()).toMatchObject({ uid: 5_000 });
});

it('takes a user back once, however often it is given back', async () => {
  const { users } = given();
  const first = await users.lend(5_001);
  await first?.giveBack();
  const second = await users.lend(5_001);
  await first?.giveBack();
  expect(second?.uid).toBe(5_001);
  expect(await users.lend(5_001)).toMatchObject({ uid: 5_000 });
});

it('leaves out users that run something of somebody else at the start', async () => {
  const { users } = given([5_000, 5_002]);
  expect(await users.lend()).toMatchObject({ uid: 5_001 });
  expect(await users.lend()).toBeUndefined();
});
