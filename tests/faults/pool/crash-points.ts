import type { BlobStore } from '@attache/blob-store';
import type { Database } from '@attache/database';

/** The points at which a process is killed that takes keys from a pool. `before`: the call is not sent; `after`: it is done, and nobody learned of it. */
export const crashPoints = [
  'pool.fill.before',
  'pool.fill.after',
  'pool.put.before',
  'pool.put.after',
  'pool.record.after',
  'pool.release.before',
  'pool.release.after',
] as const;

export type CrashPoint = (typeof crashPoints)[number];

const STEPS: Readonly<Record<string, string>> = {
  attache_fill_pool: 'fill',
  attache_record_attachment: 'record',
  attache_release_keys: 'release',
};

/** The ports of a process that kills itself at a point, once it is armed. */
export function crashAt(point: CrashPoint, ports: { db: Database; blobs: BlobStore }) {
  let isArmed = false;
  const pass = (step: string | undefined, moment: 'before' | 'after') => {
    if (isArmed && point === `pool.${step}.${moment}`) process.kill(process.pid, 'SIGKILL');
  };
  const db: Database = {
    ...ports.db,
    async call(statement, options) {
      const [, name = ''] = /select (attache_\w+)/.exec(JSON.stringify(statement)) ?? [];
      pass(STEPS[name], 'before');
      const answer = await ports.db.call(statement, options);
      pass(STEPS[name], 'after');
      return answer as never;
    },
  };
  const blobs: BlobStore = {
    ...ports.blobs,
    async put(...args) {
      pass('put', 'before');
      const written = await ports.blobs.put(...args);
      pass('put', 'after');
      return written;
    },
  };
  const arm = () => {
    isArmed = true;
  };
  return { db, blobs, arm };
}
