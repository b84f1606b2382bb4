import {
  type ConsumerName,
  Fault,
  idFromUuid,
  isFault,
  type OperatorInput,
  type OperatorOutput,
  uuidFromId,
} from '@attache/contracts';
import { type DeadLetterRow, listDeadLetters, readUnreplayed, replayDeadLetter } from '@attache/database';
import { type OperatorDeps, requireTenant } from './operator-deps.ts';
import { DEFAULT_PAGE } from './page.ts';

/** Dead letters of one tenant or of all, newest first. They hold ids, never content. */
export async function listDead(
  { db }: OperatorDeps,
  { tenant, limit = DEFAULT_PAGE, cursor }: OperatorInput<'dead.list'>,
): Promise<OperatorOutput<'dead.list'>> {
  const tenantId = tenant === undefined ? undefined : await requireTenant(db, tenant);
  const { items, nextCursor } = await listDeadLetters(db, { tenantId, limit, cursor });
  return {
    items: items.map(({ trace: _, replayedAt, ...row }) => ({
      ...row,
      tenantId: idFromUuid('tenant', row.tenantId),
      createdAt: row.createdAt.toISOString(),
      ...(replayedAt === null ? {} : { replayedAt: replayedAt.toISOString() }),
    })),
    nextCursor,
  };
}

/** Lets a dead letter wait to be handled again. */
export async function replayDead(
  { db }: OperatorDeps,
  { tenantId, id, consumer }: OperatorInput<'dead.replay'>,
): Promise<OperatorOutput<'dead.replay'>> {
  const outcome = await replayDeadLetter(db, { tenantId: uuidFromId(tenantId), id, consumer });
  if (outcome !== 'not-found') return { outcome };
  throw new Fault('DEAD_LETTER_NOT_FOUND', 'There is no such dead letter. `attache dead list` shows those that exist.');
}

const BATCH = 200;

/** Lets all dead letters wait again, in the order of their death. One that dies again meanwhile is not replayed twice. */
export async function replayAllDead(
  deps: OperatorDeps,
  { subject, since }: OperatorInput<'dead.replayAll'>,
): Promise<OperatorOutput<'dead.replayAll'>> {
  const replayed = new Set<string>();
  const left = new Set<string>();
  const wanted = { subject, since: since === undefined ? undefined : new Date(since), limit: BATCH };
  let after: DeadLetterRow | undefined;
  do {
    const batch = await readUnreplayed(deps.db, { ...wanted, after });
    for (const letter of batch) {
      const name = `${letter.id} ${letter.consumer}`;
      if (!replayed.has(name)) ((await tryReplay(deps, letter)) ? replayed : left).add(name);
    }
    after = batch.at(-1);
  } while (after);
  return { replayedCount: replayed.size, leftCount: left.size };
}

// One whose session ends in this moment, say, must not keep the others.
async function tryReplay({ db }: OperatorDeps, letter: DeadLetterRow): Promise<boolean> {
  const { tenantId, id, consumer } = letter;
  try {
    return (await replayDeadLetter(db, { tenantId, id, consumer: consumer as ConsumerName })) === 'replayed';
  } catch (error) {
    if (isFault(error, 'DATABASE_UNAVAILABLE')) throw error;
    return false;
  }
}
