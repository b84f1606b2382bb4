import { Fault } from '@attache/contracts';
import { expect, it } from 'vitest';
import type { Database } from '../database.ts';
import { runDurably } from './run-durably.ts';

/** A database whose answer to a commit is lost, and which says what became of it. */
function given(statuses: readonly string[]) {
  const left = [...statuses];
  let commits = 0;
  const db = {
    async asTenant(_tenantId: string, work: (tx: unknown) => Promise<unknown>) {
      commits += 1;
      await work({});
      throw new Fault('DATABASE_UNAVAILABLE', 'The connection is gone.', { retryable: true });
    },
    call: async () => left.shift() ?? statuses.at(-1),
  } as unknown as Database;
  return { db, commits: () => commits };
}

const work = async (_tx: unknown, mark: (id: string) => void) => {
  mark('7');
  return 'done';
};

it('waits for a commit that is in progress, and does not run it again once it is committed [W4]', async () => {
  const { db, commits } = given(['in progress', 'committed']);
  expect(await runDurably(db, 't', work, () => true)).toBe('done');
  expect(commits()).toBe(1);
});

it('gives up a commit that stays in progress once nobody wants its answer [W4]', async () => {
  const { db } = given(['in progress']);
  let asked = 0;
  const isWanted = () => {
    asked += 1;
    return asked < 3;
  };
  await expect(runDurably(db, 't', work, isWanted)).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' });
});
