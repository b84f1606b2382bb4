import { createHash, randomBytes } from 'node:crypto';
import { writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { createFileBlobStore } from '@attache/blob-store/file';
import { idFromUuid } from '@attache/contracts';
import { connectPglite } from '@attache/database/pglite';
import { createKeyPools, type IntakeDeps, storeAttachment } from '@attache/intake';
import { type CrashPoint, crashAt } from './crash-points.ts';

// A process of its own: uploads by keys of a pool, says what was acknowledged, and dies at the point that it was given.

const { folder, root, place, point } = JSON.parse(process.argv[2] ?? '') as {
  folder: string;
  root: string;
  place: { tenantId: string; sessionId: string };
  point: CrashPoint;
};
const FILLED_WITHIN_MS = 30_000;

const db = await connectPglite({ folder });
const ports = crashAt(point, { db, blobs: await createFileBlobStore({ root }) });
const keyPools = createKeyPools({ db: ports.db, storeId: ports.blobs.id, holder: undefined });
const intake: IntakeDeps = {
  ...{ db: ports.db, blobs: ports.blobs, keyPools, baseUrl: () => 'http://attache.test' },
  signingKeys: [{ kid: 'k1', secret: Buffer.alloc(32, 7) }],
};

async function upload(): Promise<void> {
  const bytes = randomBytes(1_000);
  const { stored } = await storeAttachment(
    intake,
    {
      ...{ ...place, sizeBytes: bytes.length, maxBytes: 10_000, origin: 'upload' },
      actor: { type: 'user', id: idFromUuid('user', place.sessionId) },
      terms: { sessionStatus: 'active', freeBytes: null, urlGeneration: 1 },
    },
    async () => ({ stream: streamOf(bytes) }),
  );
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  writeSync(1, `${JSON.stringify({ id: stored.attachment.id, sha256 })}\n`);
}

async function* streamOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function waitUntilFilled(): Promise<void> {
  const until = Date.now() + FILLED_WITHIN_MS;
  while (Date.now() < until) {
    const row = await db.asTenant(place.tenantId, (tx) => tx.query.tenant.findFirst());
    if ((row?.reservedBytes ?? 0) > 0) return;
    await delay(5);
  }
  throw new Error('no keys were reserved');
}

await upload();
if (point.startsWith('pool.fill')) ports.arm();
await upload();
await waitUntilFilled();
// From here on every upload has a key of the pool.
ports.arm();
for (let count = 0; count < 3; count += 1) await upload();
await keyPools.stop();
throw new Error(`${point} was not passed`);
