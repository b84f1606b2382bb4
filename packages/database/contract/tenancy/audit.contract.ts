import { auditEntrySchema } from '@attache/contracts';
import { expect, it } from 'vitest';
import { listAudit } from '../../src/tenancy/audit-reader.ts';
import { appendAudit } from '../../src/tenancy/audit-writer.ts';
import { createTenant } from '../__fixtures__/database-fixtures.ts';
import type { DatabaseSuite } from '../database-suite.contract.ts';

/** The audit log of a tenant. */
export function describeAudit({ useDb }: DatabaseSuite): void {
  it('is read newest first, page by page, as the contract has it, by its tenant alone [S29]', async () => {
    const db = useDb();
    const tenantId = await createTenant(db);
    const actor = { type: 'operator', id: 'operator' } as const;
    for (const count of [1, 2, 3])
      await db.asTenant(tenantId, (tx) =>
        appendAudit(tx, { tenantId, actor, action: 'tenant.changed', data: { count } }),
      );
    const read = (before?: { createdAt: Date; id: string }) =>
      db.asTenant(tenantId, (tx) => listAudit(tx, { before, limit: 2 }));
    const first = await read();
    const last = first.at(-1);
    const second = await read(last && { createdAt: new Date(last.at), id: last.id });
    expect([...first, ...second].map(({ data }) => data.count)).toEqual([3, 2, 1]);
    for (const entry of first) expect(auditEntrySchema.parse(entry)).toEqual(entry);
    const other = await createTenant(db);
    expect(await db.asTenant(other, (tx) => listAudit(tx, { limit: 2 }))).toEqual([]);
  });

  it('is asked for one kind of entry', async () => {
    const db = useDb();
    const tenantId = await createTenant(db);
    const actor = { type: 'service', id: 'ingest' } as const;
    await db.asTenant(tenantId, async (tx) => {
      await appendAudit(tx, { tenantId, actor, action: 'access.denied' });
      await appendAudit(tx, { tenantId, actor, action: 'urls.ended', subjectId: 'att_x' });
    });
    const found = await db.asTenant(tenantId, (tx) => listAudit(tx, { action: 'urls.ended', limit: 9 }));
    expect(found).toMatchObject([{ action: 'urls.ended', subjectId: 'att_x', data: {} }]);
  });
}
