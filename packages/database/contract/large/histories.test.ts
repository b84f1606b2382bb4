import { heldNothing, requireDecision } from '@attache/domain';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { connectPostgres } from '../../src/connect-postgres.ts';
import * as api from '../../src/index.ts';
import { newMessage } from '../__fixtures__/database-fixtures.ts';
import { type Cluster, startCluster } from '../__fixtures__/start-cluster.ts';
import { watchedSettings, watchStatements } from '../__fixtures__/watch-statements.ts';
import { idOf } from './__fixtures__/large-place.ts';

const { programs } = inject('servers');
const histories = [0, 1_000, 100_000];
/** An index of 100,000 rows is one or two pages deeper, and there are some twenty of them on the way. */
const DEEPER = 1.5;

const filled = new Set([
  'delivery',
  'delivery_transition',
  'inbox',
  'message',
  'message_text',
  'outbox',
  'session_log',
]);

let cluster: Cluster;
let db: api.Database;
const seen: Record<string, number[]> = {};

/** A tenant with a session, in which an agent has answered so many messages; as many of its messages of the outbox are done. */
const fillHistory = (count: number) => {
  const [tenant, session, agent] = ['tenant', 'session', 'agent'].map(
    (what) => `'${idOf(`${what} of ${count}`)}'::uuid`,
  );
  const idOfEach = (what: string) => `md5('${what} ' || n || ' of ${count}')::uuid`;
  const each = `from generate_series(1, ${count}) n`;
  return `
    insert into tenant (tenant_id, name) values (${tenant}, 'of ${count}');
    insert into session (tenant_id, id, last_seq, replay_policy) values (${tenant}, ${session}, ${count}, '{"originals": "none"}');
    insert into agent (tenant_id, id, session_id, name, role, profile, runtime, provider, model)
      values (${tenant}, ${agent}, ${session}, 'agent', 'lead', 'profile', 'acp', 'provider', 'model');
    insert into message (tenant_id, id, session_id, sender)
      select ${tenant}, ${idOfEach('message')}, ${session}, '{"type": "operator", "id": "operator"}' ${each};
    insert into message_text (tenant_id, message_id, text) select ${tenant}, ${idOfEach('message')}, 'hello' ${each};
    insert into delivery (tenant_id, id, session_id, message_id, agent_id, message_seq, status, plan, held, writing_at, trace_id)
      select ${tenant}, ${idOfEach('delivery')}, ${session}, ${idOfEach('message')}, ${agent}, n, 'responded',
        '{"budget": {"bytes": {"used": 9}, "pixels": {"used": 9}, "images": {"used": 9}, "pages": {"used": 9}}}',
        '{"bytes": 1, "pixels": 2, "images": 3, "pages": 4}', now(), '' ${each};
    insert into delivery_transition (tenant_id, delivery_id, position, status, actor, attempt, trace_id)
      select ${tenant}, ${idOfEach('delivery')}, p, 'written', '{"type": "service", "id": "runner-gateway"}', 1, '' ${each}, generate_series(1, 5) p;
    insert into session_log (tenant_id, session_id, seq, id, at, kind, actor, trace_id, data, schema_version)
      select ${tenant}, ${session}, n, ${idOfEach('event')}, now(), 'attachment.deleted', '{"type": "service", "id": "ingest"}', '', '{}', 1 ${each};
    insert into outbox (tenant_id, id, subject, data, state)
      select ${tenant}, ${idOfEach('sent')}, 'attachment.added', '{}', 'done' ${each};
    insert into inbox (tenant_id, event_id, consumer) select ${tenant}, ${idOfEach('sent')}, 'projector' ${each};
    update agent set resident = attache_sum_held(tenant_id, id, context_since) where id = ${agent};`;
};

/** The steps of a delivery, one by one, in a session with a history of this length. */
function openSteps(count: number) {
  const [tenantId, sessionId, agentId] = [`tenant of ${count}`, `session of ${count}`, `agent of ${count}`].map(
    idOf,
  ) as [string, string, string];
  const place = { tenantId, sessionId, agentId };
  const incarnation = idOf(`incarnation of ${count}`);
  const fence: api.Fence = { incarnation, epoch: 0 };
  let deliveryId = '';
  let row: api.DeliveryRow | undefined;
  const take = async (
    from: Partial<api.DeliveryRow>,
    facts: readonly Parameters<typeof requireDecision>[1][],
    first?: api.WritingFacts,
  ) => {
    if (!row) throw new Error('the delivery is gone');
    let state = api.stateOf({ ...row, ...from });
    const writes = facts.map((fact, index) => {
      const decision = requireDecision(state, fact);
      state = { ...state, status: decision.move.to } as typeof state;
      return api.composeOwnerWrite({
        decision,
        writing: index === 0 ? first : undefined,
        answersNext: fact.kind === 'responded',
      });
    });
    const { outcomes } = await api.writeAsOwner(db, { session: place, fence, writes, isRepeated: false });
    expect(outcomes).toEqual(outcomes.map(() => expect.objectContaining({ outcome: 'written' })));
  };
  const receipt = {
    ...{ writtenAt: '2026-01-01T00:00:00.000Z', respondedAt: '2026-01-01T00:00:01.000Z' },
    ...{ transport: 'acp/stdio', proof: 'its answer', items: [] },
  } as const;
  return {
    async own() {
      fence.epoch =
        (await api.claimSession(db, { tenantId, sessionId, replicaId: incarnation, incarnation }))?.epoch ?? 0;
    },
    steps: {
      'accept a message and prepare its delivery': async () => {
        const message = newMessage(place);
        const deliveries = message.deliveries.map((delivery) => {
          const ids = {
            tenantId,
            sessionId,
            agentId,
            messageId: message.messageId,
            deliveryId: delivery.id,
          };
          const state = { ...ids, attempt: 1, status: 'queued' } as const;
          return { ...delivery, prepare: requireDecision(state, { kind: 'parts-at-hand', parts: [] }) };
        });
        expect(await api.acceptMessage(db, { ...message, deliveries, composedOf: [] })).toMatchObject({
          outcome: 'accepted',
        });
        deliveryId = deliveries[0]?.id ?? '';
      },
      'find the delivery': async () => {
        row = await db.asTenant(tenantId, (tx) => api.findDelivery(tx, deliveryId));
      },
      'read the head of the line of its agent': () => api.readNextDelivery(db, place),
      'claim it and note its first byte': () =>
        take({}, [{ kind: 'claimed', epoch: fence.epoch }], { attachmentIds: [], targetVersion: 1, held: heldNothing }),
      'record that it was written and answered': () =>
        take({ status: 'claimed', writingAt: new Date(), epoch: fence.epoch }, [
          { kind: 'written', epoch: fence.epoch },
          { kind: 'responded', epoch: fence.epoch, receipt, diagnostic: undefined },
        ]),
      'emit, publish and settle its message': async () => {
        const subjects = ['delivery.prepared', 'attachment.added'] as const;
        const { messages } = await api.claimForRelay(db, {
          subjects: [...subjects],
          limit: 20,
          leaseMs: 0,
          windowPerTenant: 32,
        });
        await api.markPublished(db, messages);
        await api.settleDone(db, messages);
      },
      'read what the agents of a session hold': () =>
        api.readNamed(db, { ...place, agentIds: [agentId], attachmentIds: [] }),
      'read the newest events': () => api.readEvents(db, { tenantId, sessionId, afterSeq: count, limit: 100 }),
    } satisfies Record<string, () => Promise<unknown>>,
  };
}

describe.runIf(programs.postgres)('what a delivery reads', () => {
  beforeAll(async () => {
    cluster = await startCluster(programs.postgres ?? '', watchedSettings);
    const fill = histories.map(fillHistory).join('\n');
    await cluster.asSuperuser(
      `set auto_explain.log_min_duration = -1;\nset session_replication_role = replica;\n${fill}\nset session_replication_role = default;\nanalyze;`,
    );
    db = await connectPostgres({ url: cluster.serviceUrl, poolSize: 1 });
    for (const count of histories) {
      const { own, steps } = openSteps(count);
      await own();
      // After six times a connection keeps a plan for all tenants; the smallest comes first.
      for (const isCounted of [...Array(7).fill(false), true])
        for (const [name, step] of Object.entries(steps)) {
          const { buffers, scannedTables } = await watchStatements(cluster, step);
          if (!isCounted) continue;
          seen[name] = [...(seen[name] ?? []), buffers];
          expect(scannedTables.filter((table) => filled.has(table))).toEqual([]);
        }
    }
  }, 300_000);
  afterAll(async () => {
    await db?.close();
    await cluster?.stop();
  });

  it('is the same behind none, 1,000 and 100,000 earlier deliveries, events and settled messages [BX-27]', () => {
    process.stdout.write(`Buffers behind ${histories.join(', ')}: ${JSON.stringify(seen)}\n`);
    for (const [name, buffers] of Object.entries(seen)) {
      const [none = 0, ...behind] = buffers;
      expect(Math.max(...behind), `${name}: ${buffers.join(', ')}`).toBeLessThanOrEqual(
        Math.max(none * DEEPER, none + 12),
      );
    }
  });
});
