import { createHash } from 'node:crypto';
import type * as database from '../../../src/index.ts';

/** As `fill.sql` makes ids. */
export function idOf(name: string): string {
  const digest = createHash('md5').update(name).digest('hex');
  return digest.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** The session and agent that have the most rows. */
export const place = { tenantId: idOf('tenant 0'), sessionId: idOf('session 0'), agentId: idOf('agent') };
export const { tenantId, sessionId, agentId } = place;
export const actor = { type: 'service', id: 'ingest' } as const;
export const DAY_MS = 86_400_000;
export const past = new Date(0).toISOString();
export const future = '2100-01-01T00:00:00.000Z';

/** A request or a step, and how many buffers it may read. `api` notes which of its functions are called. */
export type Row = [name: string, most: number, work: () => Promise<unknown>];
export type Api = Omit<typeof database, 'default'>;
export type ListRows = (db: database.Database, api: Api) => Row[];
