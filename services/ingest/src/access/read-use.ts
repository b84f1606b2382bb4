import {
  Fault,
  idFromUuid,
  isId,
  MAX_USE_DAYS,
  SCHEMA_VERSION,
  type UseQuery,
  type UseReport,
  uuidFromId,
} from '@attache/contracts';
import { listUseByDay, listUseByModel, listUseBySession, type NamedModel } from '@attache/database';
import type { Caller } from '../caller/caller.ts';
import type { IngestDeps } from '../ingest-deps.ts';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;
const EARLIEST = '1970-01-01';

/** One page of the use of the tenant's agents between two days, from the latest figures that are written. */
export async function readUse(
  { db }: Pick<IngestDeps, 'db'>,
  { tenantId }: Caller,
  { by, cursor, limit, ...given }: UseQuery,
): Promise<UseReport> {
  const days = chooseDays(given);
  const page = { ...days, limit: limit + 1 };
  const rest = { ...days, schemaVersion: SCHEMA_VERSION };
  return db.readAsTenant(tenantId, async (tx): Promise<UseReport> => {
    switch (by) {
      case 'day': {
        const found = await listUseByDay(tx, { ...page, after: cursor && readDay(cursor) });
        return { by, ...rest, ...cutPage(found, limit, ({ day }) => day) };
      }
      case 'session': {
        const found = await listUseBySession(tx, { ...page, after: cursor && readSession(cursor) });
        const named = found.map(({ sessionId, ...counts }) => ({
          ...counts,
          sessionId: idFromUuid('session', sessionId),
        }));
        return { by, ...rest, ...cutPage(named, limit, ({ sessionId }) => sessionId) };
      }
      case 'model': {
        const found = await listUseByModel(tx, {
          ...page,
          after: cursor === undefined ? undefined : readModel(cursor),
        });
        return { by, ...rest, ...cutPage(found, limit, spellModel) };
      }
      default:
        return by satisfies never;
    }
  });
}

function chooseDays({ from, to }: Pick<UseQuery, 'from' | 'to'>): { from: string; to: string } {
  const last = to ?? spellDay(Date.now());
  const first = from ?? spellDay(Date.parse(last) - (DEFAULT_DAYS - 1) * DAY_MS);
  const count = (Date.parse(last) - Date.parse(first)) / DAY_MS + 1;
  if (first >= EARLIEST && count >= 1 && count <= MAX_USE_DAYS) return { from: first, to: last };
  throw new Fault('INVALID_REQUEST', `from: must be 0 to ${MAX_USE_DAYS - 1} days before \`to\`.`);
}

const spellDay = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 10);

function cutPage<T>(found: readonly T[], limit: number, keyOf: (item: T) => string) {
  const items = found.slice(0, limit);
  const last = found.length > limit ? items.at(-1) : undefined;
  return { items, nextCursor: last === undefined ? null : keyOf(last) };
}

// A cursor is the key of the last item. One that nobody gave out shows no more than its tenant's own.

function readDay(cursor: string): string {
  const timeMs = Date.parse(cursor);
  if (cursor >= EARLIEST && !Number.isNaN(timeMs) && spellDay(timeMs) === cursor) return cursor;
  throw notACursor();
}

function readSession(cursor: string): string {
  if (isId('session', cursor)) return uuidFromId(cursor);
  throw notACursor();
}

const spellModel = ({ provider, model }: NamedModel): string =>
  `${encodeURIComponent(provider)}/${encodeURIComponent(model)}`;

function readModel(cursor: string): NamedModel {
  try {
    const [provider, model, more] = cursor.split('/').map(decodeURIComponent);
    if (provider !== undefined && model !== undefined && more === undefined && !cursor.includes('%00'))
      return { provider, model };
  } catch {
    throw notACursor();
  }
  throw notACursor();
}

const notACursor = (): Fault =>
  new Fault('INVALID_REQUEST', 'The cursor is not one that was given out. Start again without one.');
