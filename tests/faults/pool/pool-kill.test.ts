import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type BlobStore, parseBlobKey } from '@attache/blob-store';
import { createFileBlobStore } from '@attache/blob-store/file';
import { type AttachmentId, uuidFromId } from '@attache/contracts';
import { type Database, findAttachment } from '@attache/database';
import { copyPgliteFolder, createPlace, type Place, readUsage, sumUsage } from '@attache/database/contract';
import { connectPglite } from '@attache/database/pglite';
import { createLogger } from '@attache/telemetry';
import { sweepNow } from '@attache/upkeep';
import { afterAll, beforeAll, expect } from 'vitest';
import { drawTests } from '../draw-tests.ts';
import { type CrashPoint, crashPoints } from './crash-points.ts';

const PROGRAM = fileURLToPath(new URL('upload-until-killed.ts', import.meta.url));
const LIVES = process.env.ATTACHE_TEST_AMOUNT === 'few' ? 1 : 3;
const log = createLogger({ service: 'test', level: 'silent' });

let folder: string;
let root: string;
let place: Place;
const acknowledged: { id: AttachmentId; sha256: string }[] = [];

beforeAll(async () => {
  folder = await copyPgliteFolder();
  root = await mkdtemp(join(tmpdir(), 'attache-pool-'));
  place = await withDatabase((db) => createPlace(db));
});
afterAll(() => Promise.all([folder, root].map((path) => rm(path, { recursive: true, force: true }))));

async function withDatabase<T>(work: (db: Database) => Promise<T>): Promise<T> {
  const db = await connectPglite({ folder });
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}

/** Uploads until the process dies at the point; keeps what it acknowledged. */
async function liveUntil(point: CrashPoint): Promise<void> {
  const argument = JSON.stringify({ folder, root, place, point });
  const child = spawn(process.execPath, [PROGRAM, argument], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [said, [, signal]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  expect(signal, point).toBe('SIGKILL');
  for (const line of said.split('\n').filter(Boolean)) acknowledged.push(JSON.parse(line));
}

async function readDigest(blobs: BlobStore, key: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of await blobs.get(parseBlobKey(key))) hash.update(chunk);
  return hash.digest('hex');
}

async function listFiles(): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

/** Runs the recovery of the next start, and checks what is there then. */
async function checkRecovered(db: Database, blobs: BlobStore): Promise<void> {
  await sweepNow({ db, blobs, log }, new Date());
  const usage = await readUsage(db, place);
  expect(usage).toMatchObject({ reserved: 0, condemned: 0 });
  expect(usage).toEqual(await sumUsage(db, place));
  expect(acknowledged.length).toBeGreaterThan(0);
  for (const { id, sha256 } of acknowledged) {
    const found = await db.asTenant(place.tenantId, (tx) => findAttachment(tx, uuidFromId(id)));
    expect([found?.attachment.sha256, await readDigest(blobs, found?.blobKey ?? '')]).toEqual([sha256, sha256]);
  }
  const rows = await db.asTenant(place.tenantId, (tx) => tx.query.blob.findMany());
  const live = rows.filter(({ state }) => state === 'live');
  expect((await listFiles()).toSorted()).toEqual(live.map(({ key }) => key.split('/').at(-1)).toSorted());
  expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
}

/** At these points the dead process held keys that no upload had, and its quota with them. */
const holdsKeys: ReadonlySet<CrashPoint> = new Set([
  'pool.fill.after',
  'pool.put.before',
  'pool.put.after',
  'pool.record.after',
  'pool.release.before',
]);

const drawn = drawTests({ of: crashPoints.length, few: 3 });
for (const point of crashPoints)
  drawn(
    `a process killed at ${point} loses nothing that it acknowledged, and its keys are swept at the next start [W2 W3 W4]`,
    async () => {
      for (let life = 0; life < LIVES; life += 1) {
        await liveUntil(point);
        await withDatabase(async (db) => {
          const blobs = await createFileBlobStore({ root });
          const { reserved } = await readUsage(db, place);
          expect(reserved > 0, `${point} left ${reserved} bytes reserved`).toBe(holdsKeys.has(point));
          await checkRecovered(db, blobs);
        });
      }
    },
  );
