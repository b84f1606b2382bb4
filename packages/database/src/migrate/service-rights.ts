/** The rights of a role to its tenant's rows in one table: `true` for whole rows, otherwise the columns. */
export type TableRights = {
  select?: true | readonly string[];
  insert?: true;
  update?: true | readonly string[];
  delete?: true;
};

export type ServiceRights = Readonly<Record<string, TableRights>>;

const read: TableRights = { select: true };
const add: TableRights = { select: true, insert: true };
const change: TableRights = { select: true, update: true };
const keep: TableRights = { select: true, insert: true, update: true };
const manage: TableRights = { ...keep, delete: true };
const replace: TableRights = { ...add, delete: true };
const remove: TableRights = { select: true, delete: true };
const countBytes: TableRights = { select: true, update: ['condemned_bytes', 'reserved_bytes', 'used_bytes'] };

const settle: TableRights['update'] = [
  ...['attempts', 'available_at', 'claimed_until', 'deferrals'],
  ...['emission', 'published_at', 'settled_at', 'state'],
];
const bury: TableRights = { ...add, update: ['attempts', 'created_at', 'reason', 'replayed_at'] };

/** The rights of each service inside a tenant, and of the operators' commands, by table. The migrations grant them; a test compares them with this table. */
export const serviceRights: Readonly<Record<'ingest' | 'projector' | 'gateway' | 'operator', ServiceRights>> = {
  ingest: {
    tenant: { ...countBytes, insert: true },
    ...{ api_key: keep, tenant_user: keep, participant: keep, session: keep, agent: keep, blob: keep },
    ...{ attachment: keep, access_grant: keep, delivery: keep },
    ...{ idempotency: manage, capability_override: manage, tenant_secret: manage, tenant_origin: replace },
    ...{ attachment_name: add, message: add, message_text: add, message_attachment: add },
    ...{ delivery_transition: add, session_log: add, audit_log: add },
    ...{ projection_job: replace, quarantine: remove, variant: read, capability_contradiction: read },
    ...{ checkpoint: remove, checkpoint_pack: read },
    ...{ day_use: read, model_use: read, profile_probe: read, catalog_contradiction: read },
  },
  projector: {
    ...{ blob: keep, attachment: change, delivery: change, projection_job: change, variant: replace },
    ...{ delivery_transition: add, attachment_name: read, message_attachment: read, message_text: read },
    ...{ checkpoint: read, checkpoint_pack: read },
    tenant: countBytes,
    session: { select: true, update: ['last_seq'] },
    agent: { select: ['context_since', 'id', 'resident', 'tenant_id'], update: ['resident'] },
    session_log: { insert: true },
    idempotency: {
      select: ['created_at', 'expires_at', 'holder', 'key', 'route', 'session_id', 'state', 'tenant_id'],
      delete: true,
    },
  },
  gateway: {
    ...{ blob: keep, day_use: keep, model_use: keep, session: change, agent: change, delivery: change },
    ...{ attachment: add, attachment_name: add, access_grant: add, delivery_transition: add, session_log: add },
    quarantine: {
      ...add,
      update: ['attachment_id', 'code', 'created_at', 'is_group', 'occurrences', 'target_version'],
    },
    ...{ wire_finding: replace, capability_contradiction: replace },
    ...{ checkpoint: replace, checkpoint_pack: replace },
    ...{ variant: read, message_attachment: read, capability_override: read, profile_probe: read },
    ...{ catalog_contradiction: read, message_text: read },
    tenant: countBytes,
    tenant_secret: { select: true, update: ['last_used_at'] },
    audit_log: { insert: true },
  },
  operator: {
    ...{ tenant: keep, api_key: keep, blob: change, attachment: change, delivery: change, tenant_secret: change },
    ...{ variant: remove, wire_finding: remove, capability_contradiction: remove, delivery_transition: add },
    ...{ message_attachment: read, catalog_contradiction: read },
    ...{ checkpoint: read, checkpoint_pack: read },
    session: { select: true, update: ['last_seq', 'parked_at'] },
    agent: {
      select: ['context_since', 'id', 'removed_at', 'resident', 'target_version', 'tenant_id'],
      update: ['resident'],
    },
    ...{ session_log: { insert: true }, audit_log: { insert: true } },
  },
};

/** The rights to the control tables of all tenants, by table. Ingest has none: functions do for it whatever it needs. */
export const controlRights: Readonly<Record<'projector' | 'gateway' | 'operator', ServiceRights>> = {
  projector: {
    outbox: { select: true, update: settle, delete: true },
    inbox: replace,
    ...{ dead_letter: bury, sweep: keep },
  },
  gateway: {
    outbox: { select: true, update: settle },
    ...{ inbox: add, dead_letter: bury, session_owner: manage, profile_probe: keep, catalog_contradiction: remove },
  },
  operator: {
    ...{ outbox: manage, inbox: manage, dead_letter: manage, sweep: manage, session_owner: manage },
    ...{ profile_probe: manage, catalog_contradiction: manage, replica: manage },
  },
};

/** The role of each in control tables. */
export const controlRoleOf = {
  projector: 'attache_projector_worker',
  gateway: 'attache_gateway_worker',
  operator: 'attache_worker',
} as const;
