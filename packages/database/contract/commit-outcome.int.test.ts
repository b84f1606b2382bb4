import { randomUUID } from 'node:crypto';
import { isFault } from '@attache/contracts';
import type {} from '@attache/test-servers';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { abandonUpload, recordUpload, reserveUpload } from '../src/attachment/upload-writer.ts';
import { connectPostgres } from '../src/connect-postgres.ts';
import type { Database } from '../src/database.ts';
import { closeIdempotency, openIdempotency } from '../src/idempotency/idempotency-writer.ts';
import { setAgentStatus } from '../src/session/agent-writer.ts';
import { createPlace, newRecord, newReservation, type Place } from './__fixtures__/database-fixtures.ts';
import { startTcpProxy, type TcpProxy } from './__fixtures__/tcp-proxy.ts';
import { createHostedDatabase, type HostedDatabase } from './hosted-database.contract.ts';

const { postgres, missing } = inject('servers');
const why = missing.find(({ name }) => name === 'postgres')?.why;
const suite = postgres ? describe : describe.skip;
const answer = { fingerprint: 'f1', status: 201, sealedAnswer: 'sealed' };

/** Cuts the connection at the first statement that holds `text`: before the server has it, or before its answer is through. */
function cutAt(proxy: TcpProxy, text: string, moment: 'before' | 'after'): void {
  let isSent = false;
  proxy.onBytes((from, bytes) => {
    if (from === 'client' && bytes.includes(text)) {
      isSent = true;
      if (moment === 'before') return 'cut';
    }
    return isSent && from === 'server' ? 'cut' : 'pass';
  });
}

suite(postgres ? 'a commit whose answer is lost' : `commits: ${why}`, () => {
  let database: HostedDatabase;
  let proxy: TcpProxy;
  let db: Database;
  beforeAll(async () => {
    database = await createHostedDatabase(postgres?.superuserUrl ?? '');
    const url = database.allUrl;
    proxy = await startTcpProxy(Number(new URL(url).port));
    db = await connectPostgres({ url: proxy.through(url), poolSize: 1 });
  });
  afterAll(async () => {
    await db.close();
    await proxy.close();
    await database.drop();
  });

  const countAttachments = async ({ tenantId }: Place) =>
    (await db.asTenant(tenantId, (tx) => tx.query.attachment.findMany())).length;

  it.each(['before', 'after'] as const)(
    'of an upload, %s the server had it: it is recorded once or not at all, and the same key gives the same attachment [W4 W2 DL-44]',
    async (moment) => {
      const place = await createPlace(db);
      const idempotency = { route: 'uploadRaw', sessionId: place.sessionId, key: randomUUID() };
      const reservation = newReservation(place, { idempotency });
      const record = newRecord(reservation, { idempotency: { ...idempotency, ...answer } });
      // The statement's text goes out with its first use on a connection, later only its parameters.
      cutAt(proxy, record.attachmentId, moment);
      onTestFinished(() => proxy.onBytes(() => 'pass'));
      expect(await reserveUpload(db, reservation)).toEqual({ outcome: 'reserved', urlGeneration: 1 });
      const lost = await recordUpload(db, record).catch((error: unknown) => error);
      expect(isFault(lost, 'DATABASE_UNAVAILABLE') && lost.retryable).toBe(true);
      proxy.onBytes(() => 'pass');
      // The intake does this next: only the database knows whether the bytes belong to nobody.
      expect(await abandonUpload(db, reservation)).toBe(moment === 'before');
      const again = newReservation(place, { idempotency });
      const retried = await reserveUpload(db, again);
      if (moment === 'after') expect(retried).toMatchObject({ outcome: 'replay', sealedAnswer: 'sealed' });
      else await recordUpload(db, newRecord(again, { idempotency: { ...idempotency, ...answer } }));
      expect(await countAttachments(place)).toBe(1);
    },
  );

  it.each(['before', 'after'] as const)(
    'of a transaction, %s the server had it: the fault says that the outcome is unknown, and the key tells [W4 W2]',
    async (moment) => {
      const place = await createPlace(db);
      const key = { route: 'createAgent', sessionId: place.sessionId, key: randomUUID() };
      await openIdempotency(db, place.tenantId, key);
      cutAt(proxy, 'commit\0', moment);
      onTestFinished(() => proxy.onBytes(() => 'pass'));
      const lost = await db
        .asTenant(place.tenantId, async (tx) => {
          await setAgentStatus(tx, place.agentId, 'busy' as never);
          await closeIdempotency(tx, key, answer);
        })
        .catch((error: unknown) => error);
      expect(lost).toMatchObject({ code: 'DATABASE_UNAVAILABLE', retryable: true });
      expect(String(lost)).toContain('its outcome is unknown');
      proxy.onBytes(() => 'pass');
      const known = await openIdempotency(db, place.tenantId, key);
      expect(known.state).toBe(moment === 'after' ? 'done' : 'in-progress');
      const [agent] = await db.asTenant(place.tenantId, (tx) => tx.query.agent.findMany());
      expect(agent?.status).toBe(moment === 'after' ? 'busy' : 'idle');
    },
  );
});
