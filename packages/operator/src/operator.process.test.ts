import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '@attache/database';
import { findApiKey } from '@attache/database';
import { copyPgliteFolder } from '@attache/database/contract';
import { connectPglite } from '@attache/database/pglite';
import { createLogger } from '@attache/telemetry';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApiKeySecret, parseApiKey } from './api-key-secret.ts';
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
