import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApiKeySecret, parseApiKey } from '@attache/api-keys/api-key-secret';
import { consumerOfSubject, Fault, idFromUuid, type OperatorInput, type Subject } from '@attache/contracts';
import { buryMessage, type Database, findApiKey, insertOutboxMessage } from '@attache/database';
import { copyPgliteFolder, createPlace, passMillisecond } from '@attache/database/contract';
import { connectPglite } from '@attache/database/pglite';
import { createLogger } from '@attache/telemetry';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callOperatorSocket } from './call-operator-socket.ts';
import { ensureInitTenant } from './ensure-init-tenant.ts';
import { operatorSocketPath } from './operator-socket-path.ts';
import { runOperatorCommand } from './run-operator-command.ts';
import { serveOperatorSocket } from './serve-operator-socket.ts';

const log = createLogger({ service: 'test', level: 'silent' });
let folder: string;
let db: Database;
beforeAll(async () => {
  folder = await copyPgliteFolder();
  db = await connectPglite({ folder });
});
afterAll(async () => {
  await db.close();
  await rm(folder, { recursive: true, force: true });
});

const newName = () => `tenant-${randomUUID()}`;
const refusalOf = (work: Promise<unknown>) => work.then(() => undefined).catch((error: unknown) => error);
const run = runOperatorCommand;

describe('the tenant of the settings', () => {
  it('is made once with exactly its key, by however many processes at once, and stays at the next start', async () => {
    const init = { db, name: newName(), apiKey: createApiKeySecret().apiKey };
    await Promise.all([1, 2, 3, 4].map(() => ensureInitTenant(init)));
    await ensureInitTenant(init);
    const { items } = await run({ db, log }, 'tenant.list', { limit: 1000 });
    expect(items.filter(({ name }) => name === init.name)).toHaveLength(1);
    const keys = await run({ db, log }, 'key.list', { tenant: init.name });
    expect(keys.items).toMatchObject([{ scopes: ['admin'], status: 'active' }]);
    expect(await findApiKey(db, parseApiKey(init.apiKey)?.keyId ?? '')).toMatchObject({ isUsable: true });
  });

  it('gets the new key beside the old one; a key that was revoked is not made usable again', async () => {
    const name = newName();
    const [first, second] = [createApiKeySecret().apiKey, createApiKeySecret().apiKey];
    await ensureInitTenant({ db, name, apiKey: first });
    const { items } = await run({ db, log }, 'key.list', { tenant: name });
    await run({ db, log }, 'key.revoke', { tenant: name, keyId: items[0]?.id ?? ('key_' as const) });
    await ensureInitTenant({ db, name, apiKey: first });
    await ensureInitTenant({ db, name, apiKey: second });
    const after = await run({ db, log }, 'key.list', { tenant: name });
    expect(after.items.map(({ status }) => status)).toEqual(['revoked', 'active']);
  });

  it('with a malformed key, a bad name or a key of someone else is refused in one sentence', async () => {
    const taken = createApiKeySecret().apiKey;
    await ensureInitTenant({ db, name: newName(), apiKey: taken });
    const cases = [
      [{ name: newName(), apiKey: 'atk_x' }, 'ATTACHE_INIT_API_KEY'],
      [{ name: 'a b', apiKey: createApiKeySecret().apiKey }, 'ATTACHE_INIT_TENANT'],
      [{ name: newName(), apiKey: taken }, 'ATTACHE_INIT_API_KEY'],
    ] as const;
    for (const [init, variable] of cases) {
      const refusal = await refusalOf(ensureInitTenant({ db, ...init }));
      expect(refusal).toMatchObject({ code: 'CONFIGURATION_INVALID', message: expect.stringContaining(variable) });
      expect(String((refusal as Error).message)).not.toContain('\n');
      expect(String((refusal as Error).message)).not.toContain(init.apiKey.slice(4));
    }
  });
});

describe('the operator’s socket', () => {
  it('runs commands for this user alone, and passes on how they end', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'attache-operator-'));
    const path = operatorSocketPath(dataDir);
    // Left from an earlier life.
    await writeFile(path, '');
    const serving = await serveOperatorSocket({ path, deps: { db, log } });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const name = newName();
    const made = await callOperatorSocket({ path, name: 'tenant.create', input: { name } });
    expect(made?.output.tenant.name).toBe(name);
    const again = await refusalOf(callOperatorSocket({ path, name: 'tenant.create', input: { name } }));
    expect(again).toMatchObject({ code: 'TENANT_NAME_TAKEN', message: expect.stringContaining(name) });
    const faulty = await refusalOf(callOperatorSocket({ path, name: 'tenant.set', input: { name: 'a b' } }));
    expect(faulty).toMatchObject({ code: 'INVALID_REQUEST' });
    const unknown = await refusalOf(callOperatorSocket({ path, name: 'no.such' as 'tenant.list', input: {} }));
    expect(unknown).toMatchObject({ code: 'ROUTE_NOT_FOUND' });
    const gc = await refusalOf(callOperatorSocket({ path, name: 'gc.run', input: { isDryRun: true } }));
    expect(gc).toMatchObject({ code: 'CONFIGURATION_INVALID' });
    await serving.stop();
    expect(await callOperatorSocket({ path, name: 'tenant.list', input: {} })).toBeUndefined();
    await rm(dataDir, { recursive: true });
  });

  it('has a path that a socket can have, also for a long data folder', async () => {
    const dataDir = join(tmpdir(), `attache-${'x'.repeat(120)}`);
    const path = operatorSocketPath(dataDir);
    expect(Buffer.byteLength(path)).toBeLessThanOrEqual(107);
    expect(operatorSocketPath(`${dataDir}y`)).not.toBe(path);
    const serving = await serveOperatorSocket({ path, deps: { db, log } });
    expect((await callOperatorSocket({ path, name: 'tenant.list', input: { limit: 1 } }))?.output.items).toHaveLength(
      1,
    );
    await serving.stop();
    await rm(join(path, '..'), { recursive: true });
  });
});

describe('commands', () => {
  it('list page by page', async () => {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await run({ db, log }, 'tenant.list', { limit: 2, ...(cursor === undefined ? {} : { cursor }) });
      seen.push(...page.items.map(({ name }) => name));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.length).toBeGreaterThan(2);
    const forged = await refusalOf(run({ db, log }, 'key.list', { tenant: seen[0] ?? '', cursor: 'x' }));
    expect(forged).toMatchObject({ code: 'INVALID_REQUEST' });
  });

  it('rotate every usable key of a tenant once, with an overlap for the old ones [S31]', async () => {
    const name = newName();
    const { key } = await run({ db, log }, 'tenant.create', { name });
    const { key: revoked } = await run({ db, log }, 'key.create', { tenant: name, name: 'gone', scopes: ['read'] });
    await run({ db, log }, 'key.revoke', { tenant: name, keyId: revoked.id });
    const first = await run({ db, log }, 'tenant.rotate', { name });
    expect(first.keys.map((made) => made.key.rotatedFrom)).toEqual([key.id]);
    const second = await run({ db, log }, 'tenant.rotate', { name });
    expect(second.keys.map((made) => made.key.rotatedFrom)).toEqual([first.keys[0]?.key.id]);
  });
});

describe('dead letters', () => {
  /** Messages that died, oldest first; answers their ids. */
  async function kill(subjectNames: readonly Subject[]): Promise<string[]> {
    const ids: string[] = [];
    for (const subject of subjectNames) {
      const { tenantId, sessionId } = await createPlace(db);
      const data = { tenantId, sessionId, attachmentId: randomUUID() };
      const id = randomUUID();
      await insertOutboxMessage(db, { id, subject, data });
      const message = { tenantId, id, subject, data, consumer: consumerOfSubject(subject) };
      await buryMessage(db, message, { reason: 'why', attempts: 5 });
      await passMillisecond();
      ids.push(id);
    }
    return ids;
  }
  const readLeft = async (ids: readonly string[]) => {
    const { items } = await run({ db, log }, 'dead.list', { limit: 1000 });
    const left = items.filter(({ replayedAt }) => replayedAt === undefined).map(({ id }) => id);
    return ids.filter((id) => left.includes(id));
  };

  it('are replayed all at once, or those of a subject, or those since a time [W10]', async () => {
    await run({ db, log }, 'dead.replayAll', {});
    const [first, ended] = (await kill(['attachment.added', 'session.ended'])) as [string, string];
    const since = new Date().toISOString();
    const [last] = (await kill(['attachment.added'])) as [string];
    const all = [first, ended, last];
    const replay = (input: OperatorInput<'dead.replayAll'>) => run({ db, log }, 'dead.replayAll', input);
    expect(await replay({ since, subject: 'session.ended' })).toEqual({ replayedCount: 0, leftCount: 0 });
    expect(await replay({ since })).toEqual({ replayedCount: 1, leftCount: 0 });
    expect(await readLeft(all)).toEqual([first, ended]);
    expect(await replay({ subject: 'session.ended' })).toEqual({ replayedCount: 1, leftCount: 0 });
    expect(await readLeft(all)).toEqual([first]);
    const more = await kill(Array.from({ length: 210 }, () => 'attachment.added' as const));
    expect(await replay({})).toEqual({ replayedCount: 211, leftCount: 0 });
    expect(await readLeft([...all, ...more])).toEqual([]);
    expect(await replay({})).toEqual({ replayedCount: 0, leftCount: 0 });
  });

  it('are counted as left where one cannot be replayed, and do not keep the others [W10]', async () => {
    const [, faulty] = await kill(['attachment.added', 'attachment.added', 'attachment.added']);
    const refusing: Database = {
      ...db,
      async asTenant(tenantId, work) {
        const { items } = await run({ db, log }, 'dead.list', { limit: 1000 });
        const owner = items.find(({ id }) => id === faulty)?.tenantId;
        if (owner === idFromUuid('tenant', tenantId)) throw new Fault('SESSION_ENDED', 'It has just ended.');
        return db.asTenant(tenantId, work);
      },
    };
    expect(await run({ db: refusing, log }, 'dead.replayAll', {})).toEqual({ replayedCount: 2, leftCount: 1 });
    expect(await run({ db, log }, 'dead.replayAll', {})).toEqual({ replayedCount: 1, leftCount: 0 });
  });
});
