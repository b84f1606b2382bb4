import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type GatedPglite, gateQueries } from '../src/connection/pglite/gate-queries.ts';

const WRITES = 200;

/** How many turns the event loop makes while `work` runs. */
async function countTurns(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isRunning = true;
  const tick = () => {
    turns += 1;
    if (isRunning) setImmediate(tick);
  };
  setImmediate(tick);
  await work();
  isRunning = false;
  return turns;
}

const writeMany = (client: Pick<GatedPglite, 'query'>) =>
  Promise.all(Array.from({ length: WRITES }, (_, n) => client.query('insert into gate_probe values ($1)', [n])));

/** Behaviour that the gate adds to PGlite, tested on an initialised folder that nothing else has open. */
export function describeGate(folder: string): void {
  let client: PGlite;
  let gated: GatedPglite;
  beforeAll(async () => {
    client = await PGlite.create(folder);
    gated = gateQueries(client);
    await client.exec('create temp table gate_probe (n int)');
  });
  afterAll(() => client.close());

  it('gives the event loop a turn after each write, where PGlite alone holds it', async () => {
    expect(await countTurns(() => writeMany(client))).toBeLessThan(WRITES / 2);
    expect(await countTurns(() => writeMany(gated))).toBeGreaterThanOrEqual(WRITES);
  });

  it('answers in the order of asking, and continues after a failure', async () => {
    const answers = await Promise.allSettled([
      gated.query<{ n: number }>('select 1 as n'),
      gated.query('select 1/0'),
      gated.query<{ n: number }>('select 3 as n'),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('lets nothing into a transaction but its own queries', async () => {
    await gated.exec('delete from gate_probe');
    const count = async (from: Pick<GatedPglite, 'query'>) =>
      (await from.query<{ n: number }>('select count(*)::int as n from gate_probe')).rows[0]?.n;
    const seenInside = gated.transaction(async (tx) => {
      await tx.query('insert into gate_probe values (1)');
      await tx.exec('insert into gate_probe values (2)');
      return (await tx.query<{ n: number }>('select count(*)::int as n from gate_probe')).rows[0]?.n;
    });
    const outside = gated.query('insert into gate_probe values (3)');
    expect(await seenInside).toBe(2);
    await outside;
    expect(await count(gated)).toBe(3);
  });

  it('rolls back a transaction whose work throws, and continues', async () => {
    await gated.exec('delete from gate_probe');
    const failed = gated.transaction(async (tx) => {
      await tx.query('insert into gate_probe values (1)');
      throw new Error('changed its mind');
    });
    await expect(failed).rejects.toThrow('changed its mind');
    expect((await gated.query('select 1 from gate_probe')).rows).toEqual([]);
  });
}
