import { randomBytes, randomUUID } from 'node:crypto';
import { subjects, subjectsOfPublisher } from '@attache/contracts';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { connectPostgres } from '../../src/connect-postgres.ts';
import { refreshStatistics } from '../../src/connection/refresh-statistics.ts';
import { runStatement } from '../../src/connection/run-statement.ts';
import type { Database } from '../../src/database.ts';
import { countDeadLetters } from '../../src/dead-letters/dead-letter-reader.ts';
import { migratePostgres } from '../../src/migrate/migrate-postgres.ts';
import { controlRights, controlRoleOf, serviceRights, type TableRights } from '../../src/migrate/service-rights.ts';
import { insertOutboxMessage } from '../../src/outbox/outbox-writer.ts';
import {
  claimForRelay,
  markPublished,
  readBacklog,
  reconcileOutbox,
  returnClaims,
} from '../../src/outbox/relay-queue.ts';
import { renewLease, takeReplica } from '../../src/session/owner/session-owner-writer.ts';
import { fillTenant, type Place } from '../__fixtures__/database-fixtures.ts';
import { type Cluster, startCluster } from '../__fixtures__/start-cluster.ts';
import { INSUFFICIENT_PRIVILEGE, refusalOf } from './refusals.contract.ts';

const { programs, missing } = inject('servers');
const services = ['ingest', 'projector', 'gateway', 'operator'] as const;
type Service = (typeof services)[number];

// A right on a column is one on its table for nobody; one on the table is one on each of its columns.
const readRights = (role: string) => `select c.relname as table, p.right,
    has_table_privilege('${role}', c.oid, p.right) as whole,
    array(select a.attname::text from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      and case when p.right in ('select', 'insert', 'update') then has_column_privilege('${role}', c.oid, a.attnum, p.right) end order by 1) as columns
  from pg_class c, unnest(array['select', 'insert', 'update', 'delete', 'truncate', 'references', 'trigger']) as p("right")
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v')`;

describe.runIf(programs.postgres)(missing.join() || 'the rights of services', () => {
  let cluster: Cluster;
  let filled: Place;
  const db = {} as Record<Service | 'all', Database>;

  beforeAll(async () => {
    cluster = await startCluster(programs.postgres ?? '');
    const password = randomBytes(8).toString('hex');
    const servicePasswords = { ingest: password, projector: password, gateway: password, operator: password };
    await migratePostgres({ url: cluster.ownerUrl, servicePasswords });
    db.all = await connectPostgres({ url: cluster.serviceUrl, poolSize: 1 });
    for (const service of services) {
      const url = cluster.server.urlOf({ user: `attache_${service}`, password, database: 'attache' });
      db[service] = await connectPostgres({ url, poolSize: 1 });
    }
    filled = await fillTenant(db.all);
  });
  afterAll(async () => {
    for (const each of Object.values(db)) await each.close();
    await cluster?.stop();
  });

  const findRights = async (role: string) => {
    const found: Record<string, TableRights> = {};
    for (const { table, right, whole, columns } of await cluster.asSuperuser(readRights(role))) {
      if (whole) found[table] = { ...found[table], [right]: true };
      else if (columns.length > 0) found[table] = { ...found[table], [right]: columns };
    }
    return found;
  };

  it.each(services)('are for %s those of its table, inside a tenant [S29]', async (service) => {
    expect(await findRights(`attache_${service}_app`)).toEqual(serviceRights[service]);
  });

  it.each(['projector', 'gateway', 'operator'] as const)(
    'are for %s those of its table, in control tables [S29]',
    async (service) => {
      expect(await findRights(controlRoleOf[service])).toEqual(controlRights[service]);
    },
  );

  it('are of a login those of its roles and no others; ingest has none for control tables [S29]', async () => {
    const read = `select m.rolname as login, array(select g.rolname::text from pg_roles g
        where g.rolname not like 'pg\\_%' and g.oid <> m.oid and pg_has_role(m.oid, g.oid, 'member') order by 1) as roles
      from pg_roles m where m.rolname = any(array['attache_ingest', 'attache_projector', 'attache_gateway', 'attache_operator']) order by 1`;
    expect(await cluster.asSuperuser(read)).toEqual([
      { login: 'attache_gateway', roles: ['attache_gateway_app', 'attache_gateway_worker'] },
      { login: 'attache_ingest', roles: ['attache_ingest_app'] },
      { login: 'attache_operator', roles: ['attache_operator_app', 'attache_worker'] },
      { login: 'attache_projector', roles: ['attache_projector_app', 'attache_projector_worker'] },
    ]);
    for (const login of ['ingest', 'projector', 'gateway', 'operator'])
      expect(await findRights(`attache_${login}`)).toEqual({});
  });

  it('let ingest enter no role for control tables, and read none of them [S29]', async () => {
    for (const role of ['attache_worker', 'attache_projector_worker', 'attache_gateway_worker', 'attache_control'])
      expect(await tryAs('ingest', `set local role ${role}`)).toBe(INSUFFICIENT_PRIVILEGE);
    expect(await tryAs('ingest', 'select attache_enter_worker()')).toBe(INSUFFICIENT_PRIVILEGE);
    for (const table of ['outbox', 'inbox', 'dead_letter', 'replica', 'session_owner', 'sweep'])
      expect(await tryAs('ingest', `select 1 from ${table}`)).toBe(INSUFFICIENT_PRIVILEGE);
  });

  it('let ingest relay its messages, count dead letters and keep its lease, and take no gateway’s name [S29]', async () => {
    const id = randomUUID();
    await insertOutboxMessage(db.ingest, {
      ...{ id, subject: 'session.ended' },
      data: { tenantId: filled.tenantId, sessionId: filled.sessionId },
    });
    const subjects = ['session.ended'] as const;
    const { messages } = await claimForRelay(db.ingest, { subjects, limit: 100, leaseMs: 1000, windowPerTenant: 100 });
    const claimed = messages.filter((message) => message.id === id);
    expect(claimed).toHaveLength(1);
    await returnClaims(db.ingest, claimed);
    await markPublished(db.ingest, claimed);
    expect(await readBacklog(db.ingest, subjects)).toMatchObject({ published: 1 });
    expect(await reconcileOutbox(db.ingest, { subjects, afterMs: 60_000 })).toBe(0);
    expect(await countDeadLetters(db.ingest)).toBe(0);
    const own = { replicaId: `ingest-${id}`, incarnation: id };
    expect(await takeReplica(db.ingest, { ...own, leaseMs: 1000 })).toEqual({ outcome: 'taken' });
    expect(await renewLease(db.ingest, { ...own, leaseMs: 0, state: 'gone' })).toBe('renewed');
    const gateways = { replicaId: 'runner-gateway-1', incarnation: randomUUID(), leaseMs: 1000 };
    expect(await takeReplica(db.gateway, gateways)).toEqual({ outcome: 'taken' });
    expect(await renewLease(db.ingest, { ...gateways, state: 'gone' })).toBe('lost');
    const name = { ...gateways, deadIncarnation: gateways.incarnation };
    expect(await refusalOf(takeReplica(db.ingest, name))).toBe(INSUFFICIENT_PRIVILEGE);
    expect(await renewLease(db.gateway, { ...gateways, state: 'active' })).toBe('renewed');
  });

  it('let the projector alone have rows counted for plans, of tables that have grown [S29]', async () => {
    for (const service of ['ingest', 'gateway', 'operator'] as const)
      expect(await refusalOf(refreshStatistics(db[service]))).toBe(INSUFFICIENT_PRIVILEGE);
    await expect(refreshStatistics(db.projector)).resolves.toEqual(expect.any(Number));
  });

  it('let nobody but an operator list tenants by name, and change what a message says of whom [S29]', async () => {
    const asWorker = (service: Service, statement: string) =>
      refusalOf(db[service].asWorker((tx) => tx.execute(sql.raw(statement)).then()));
    for (const service of ['projector', 'gateway'] as const) {
      expect(await asWorker(service, 'select attache_tenants_after(null, 1)')).toBe(INSUFFICIENT_PRIVILEGE);
      expect(await asWorker(service, `update outbox set subject = 'x'`)).toBe(INSUFFICIENT_PRIVILEGE);
      expect(await asWorker(service, 'select 1 from replica')).toBe(INSUFFICIENT_PRIVILEGE);
      expect(await asWorker(service, 'insert into outbox default values')).toBe(INSUFFICIENT_PRIVILEGE);
    }
    expect(await asWorker('projector', 'select 1 from session_owner')).toBe(INSUFFICIENT_PRIVILEGE);
    expect(await asWorker('gateway', 'delete from outbox')).toBe(INSUFFICIENT_PRIVILEGE);
    expect(await asWorker('operator', 'select attache_tenants_after(null, 1)')).toBeUndefined();
  });

  it.each(['message_text', 'message', 'session_log', 'attachment_name', 'participant', 'tenant_user', 'access_grant'])(
    'let operators read nothing of %s [S29]',
    async (table) => {
      expect(await tryAs('operator', `select 1 from ${table}`)).toBe(INSUFFICIENT_PRIVILEGE);
    },
  );

  const tryAs = (service: Service, statement: string) =>
    refusalOf(db[service].asTenant(filled.tenantId, (tx) => tx.execute(sql.raw(statement)).then()));

  it.each(['api_key', 'participant', 'tenant_user', 'audit_log', 'tenant_secret', 'session_log', 'access_grant'])(
    'let the projector read nothing of %s [S29]',
    async (table) => {
      expect(await tryAs('projector', `select 1 from ${table}`)).toBe(INSUFFICIENT_PRIVILEGE);
      expect(await tryAs('ingest', `select 1 from ${table}`)).toBeUndefined();
    },
  );

  it.each(['api_key', 'participant', 'message', 'idempotency'])(
    'let the gateway read nothing of %s [S29]',
    async (table) => {
      expect(await tryAs('gateway', `select 1 from ${table}`)).toBe(INSUFFICIENT_PRIVILEGE);
    },
  );

  it('let the projector read the answers of no request, and change no limit [S29]', async () => {
    expect(await tryAs('projector', 'select sealed_answer from idempotency')).toBe(INSUFFICIENT_PRIVILEGE);
    expect(await tryAs('projector', 'update tenant set quota_bytes = null')).toBe(INSUFFICIENT_PRIVILEGE);
    expect(await tryAs('gateway', 'update tenant set quota_bytes = null')).toBe(INSUFFICIENT_PRIVILEGE);
    expect(await tryAs('ingest', 'update tenant set quota_bytes = null')).toBe(INSUFFICIENT_PRIVILEGE);
    expect(await tryAs('gateway', "update tenant_secret set kid = 'mine'")).toBe(INSUFFICIENT_PRIVILEGE);
  });

  it('let the projector read of what people wrote only what waits to be prepared [S29]', async () => {
    const count = (service: Service | 'all') =>
      db[service].readAsTenant(filled.tenantId, (tx) =>
        runStatement<number>(tx, sql`select to_jsonb(count(*)::int) from message_text`),
      );
    const setStatus = (status: string) =>
      cluster.asSuperuser(`update delivery set status = '${status}' where tenant_id = '${filled.tenantId}'`);
    const all = await count('all');
    expect(all).toBeGreaterThan(0);
    await setStatus('prepared');
    expect([await count('projector'), await count('ingest')]).toEqual([0, all]);
    await setStatus('queued');
    expect(await count('projector')).toBeGreaterThan(0);
  });

  it('let the gateway read of what people wrote only what was brought to an agent [S29 SR-15]', async () => {
    const count = () =>
      db.gateway.readAsTenant(filled.tenantId, (tx) =>
        runStatement<number>(tx, sql`select to_jsonb(count(*)::int) from message_text`),
      );
    const setWriting = (time: string) =>
      cluster.asSuperuser(`update delivery set writing_at = ${time} where tenant_id = '${filled.tenantId}'`);
    await setWriting('null');
    expect(await count()).toBe(0);
    await setWriting('now()');
    expect(await count()).toBeGreaterThan(0);
    expect(await tryAs('gateway', "update message_text set text = 'mine'")).toBe(INSUFFICIENT_PRIVILEGE);
  });

  it.each(services)('let %s tell by the outbox what it has to tell, and nothing else [S29]', async (service) => {
    const { tenantId } = filled;
    const tell = (subject: string) => {
      const row = JSON.stringify({ id: crypto.randomUUID(), subject, data: { tenantId } });
      return tryAs(service, `select attache_put_message('${row}')`);
    };
    const publishers = { ingest: 'ingest', projector: 'projector', gateway: 'runner-gateway' } as const;
    const told = new Set<string>(service === 'operator' ? subjects : subjectsOfPublisher[publishers[service]]);
    // A consumer that gives a message up reports that its delivery stopped.
    told.add('delivery.stopped');
    if (service === 'ingest') told.add('delivery.prepared');
    for (const subject of subjects)
      expect([subject, await tell(subject)]).toEqual([subject, told.has(subject) ? undefined : INSUFFICIENT_PRIVILEGE]);
  });

  it.each(services)('do not let %s become another role that acts in tenants [S29]', async (service) => {
    const others = services.filter((other) => other !== service).map((other) => `attache_${other}_app`);
    for (const role of ['attache_app', 'attache_owner', 'attache_pruner', 'attache_teller', ...others])
      expect(await tryAs(service, `set local role ${role}`)).toBe(INSUFFICIENT_PRIVILEGE);
  });

  it('are taken from a login that has more [S29]', async () => {
    await cluster.asSuperuser('grant attache_app to attache_projector granted by migrator');
    await migratePostgres({ url: cluster.ownerUrl });
    const roles = `select pg_has_role('attache_projector', 'attache_app', 'member') as "hasMore"`;
    expect((await cluster.asSuperuser(roles))[0]).toEqual({ hasMore: false });
  });
});
