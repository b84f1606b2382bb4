import type { Contradiction } from '@attache/contracts';
import type { Finding } from '@attache/domain';
import { foreignKey, index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { createdAt, schemaVersion, tenantId } from '../columns.ts';
import { delivery } from '../delivery/delivery-table.ts';
import { tenant } from '../tenancy/tenant-table.ts';

/** The subject: a row of the catalog by its name, a kind, and the version of the program; the version is empty if it is not known. */
const subject = () => ({
  row: text('row_name').notNull(),
  kind: text('kind').$type<Contradiction['kind']>().notNull(),
  programVersion: text('program_version').notNull(),
});

/** Digest of the settings of its profile; empty if it is about all profiles. */
const settingsSha256 = () => text('settings_sha256').notNull().default('');

/** Findings of a turn on the wire against a row of the catalog. */
export const wireFinding = pgTable(
  'wire_finding',
  {
    tenantId: tenantId(),
    deliveryId: uuid('delivery_id').notNull(),
    ...subject(),
    settingsSha256: settingsSha256(),
    sessionId: uuid('session_id').notNull(),
    finding: text('finding').$type<Finding['finding']>().notNull(),
    createdAt: createdAt(),
    schemaVersion: schemaVersion(),
  },
  (table) => [
    primaryKey({ name: 'wire_finding_pk', columns: [table.tenantId, table.deliveryId, table.kind] }),
    foreignKey({
      name: 'wire_finding_delivery_fk',
      columns: [table.tenantId, table.deliveryId],
      foreignColumns: [delivery.tenantId, delivery.id],
    }),
    index('wire_finding_of_row').on(table.tenantId, table.row, table.kind, table.programVersion),
  ],
);

/** A row of the catalog that does not hold for a tenant, by what its turns showed. */
export const capabilityContradiction = pgTable(
  'capability_contradiction',
  {
    tenantId: tenantId(),
    ...subject(),
    settingsSha256: settingsSha256(),
    note: text('note').notNull(),
    createdAt: createdAt(),
    schemaVersion: schemaVersion(),
  },
  (table) => [
    primaryKey({
      name: 'capability_contradiction_pk',
      columns: [table.tenantId, table.row, table.kind, table.programVersion, table.settingsSha256],
    }),
    foreignKey({
      name: 'capability_contradiction_tenant_fk',
      columns: [table.tenantId],
      foreignColumns: [tenant.tenantId],
    }),
  ],
);

/** A row of the catalog that holds for nobody, by the operator's word. */
export const catalogContradiction = pgTable(
  'catalog_contradiction',
  { ...subject(), note: text('note').notNull(), createdAt: createdAt(), schemaVersion: schemaVersion() },
  (table) => [primaryKey({ name: 'catalog_contradiction_pk', columns: [table.row, table.kind, table.programVersion] })],
);
