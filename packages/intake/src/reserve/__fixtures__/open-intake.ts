import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFileBlobStore } from '@attache/blob-store/file';
import { Fault, idFromUuid } from '@attache/contracts';
import type { Database } from '@attache/database';
import { copyPgliteFolder, type Place } from '@attache/database/contract';
import { connectPglite } from '@attache/database/pglite';
import type { IncomingFile, IntakeDeps } from '../../incoming-file.ts';
import { storeAttachment } from '../../store-attachment.ts';
import { createKeyPools, type KeyPools } from '../key-pools.ts';

/** The embedded ports in folders of their own. */
export async function openPorts() {
  const folder = await copyPgliteFolder();
  const root = await mkdtemp(join(tmpdir(), 'attache-intake-'));
  const db = await connectPglite({ folder });
  const blobs = await createFileBlobStore({ root });
  return {
    ...{ db, blobs, root },
    async close() {
      await db.close();
      await Promise.all([folder, root].map((path) => rm(path, { recursive: true, force: true })));
    },
  };
}

/** The fate of a call of an SQL function: it is not sent, or its answer does not come. */
export type Loss = 'unsent' | 'unanswered';

/** The same database, which names the SQL functions that are called and loses the answers that a test names. */
export function watchCalls(db: Database) {
  const calls: string[] = [];
  const losses = new Map<string, Loss>();
  const lost = () => new Fault('DATABASE_UNAVAILABLE', 'The database does not answer.', { retryable: true });
  const watched: Database = {
    ...db,
    async call(statement, options) {
      const [, name = ''] = /select (attache_\w+)/.exec(JSON.stringify(statement)) ?? [];
      calls.push(name);
      const loss = losses.get(name);
      losses.delete(name);
      if (loss === 'unsent') throw lost();
      const answer = await db.call(statement, options);
      if (loss === 'unanswered') throw lost();
      return answer as never;
    },
  };
  return { db: watched, takeCalls: () => calls.splice(0), lose: (name: string, loss: Loss) => losses.set(name, loss) };
}

type Terms = NonNullable<IncomingFile['terms']>;

/** Uploads to one session by one process, as ingest makes them: with the terms from the credential's look-up. */
export function createUploader(deps: Pick<IntakeDeps, 'db' | 'blobs'>, place: Place, holder?: string) {
  const keyPools: KeyPools = createKeyPools({ db: deps.db, storeId: deps.blobs.id, holder });
  const intake: IntakeDeps = {
    ...{ ...deps, holder, keyPools, baseUrl: () => 'http://attache.test' },
    signingKeys: [{ kid: 'k1', secret: Buffer.alloc(32, 7) }],
  };
  const { tenantId, sessionId } = place;
  const upload = async (bytes: Uint8Array, terms: Partial<Terms> = {}, given: Partial<IncomingFile> = {}) => {
    const file: IncomingFile = {
      ...{ tenantId, sessionId, sizeBytes: bytes.length, maxBytes: 25_000_000, origin: 'upload' },
      actor: { type: 'user', id: idFromUuid('user', sessionId) },
      terms: { sessionStatus: 'active', freeBytes: null, urlGeneration: 1, ...terms },
      ...given,
    };
    const { stored } = await storeAttachment(intake, file, async () => ({ stream: streamOf(bytes) }));
    return stored.attachment;
  };
  return { keyPools, intake, upload };
}

async function* streamOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
