import { Fault, idFromUuid, type OperatorInput, type OperatorOutput, uuidFromId } from '@attache/contracts';
import { listDeadLetters, replayDeadLetter } from '@attache/database';
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
