import { rm } from 'node:fs/promises';
import { sql } from 'drizzle-orm';
import { expect, it, onTestFinished } from 'vitest';
import { connectPglite } from '../../src/connect-pglite.ts';
import { runStatement } from '../../src/connection/run-statement.ts';
import { createAttachment, createPlace } from '../__fixtures__/database-fixtures.ts';
import { copyPgliteFolder } from '../pglite-folder.contract.ts';

it('an embedded database is vacuumed and analysed when it is tidied, and continues as the application [BX-27 S29]', async () => {
  const folder = await copyPgliteFolder();
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const db = await connectPglite({ folder });
  onTestFinished(() => db.close());
  const place = await createPlace(db);
  // Requests that arrive meanwhile are served between two tables.
  const [, ...made] = await Promise.all([db.tidy(), createAttachment(db, place), createAttachment(db, place)]);
  expect(made).toHaveLength(2);
  const states = await db.asTenant(place.tenantId, (tx) =>
    runStatement<{ user: string; untidy: string[] }>(
      tx,
      sql`select jsonb_build_object('user', current_user, 'untidy', (select coalesce(jsonb_agg(relname), '[]'::jsonb)
        from pg_stat_user_tables where schemaname = 'public' and (last_vacuum is null or last_analyze is null)))`,
    ),
  );
  expect(states).toEqual({ user: 'attache_app', untidy: [] });
  expect(await db.call(sql`select to_jsonb(current_user::text)`)).toBe('attache_app');
});
