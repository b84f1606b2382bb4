import type {
  ApiKey,
  Contradiction,
  GatewayView,
  NewApiKey,
  OperatorCommand,
  OperatorOutput,
  Tenant,
} from '@attache/contracts';
import { formatBytes, type Table } from './format-table.ts';

/** An answer for people: the result, and the notes on it. */
export type View = { table: Table; notes: string[] };

const SHOWN_ONCE = 'A secret is shown this once: keep it now. Only its hash is stored.';

const limit = (sizeBytes: number | undefined) => (sizeBytes === undefined ? '-' : formatBytes(sizeBytes));

const tenantTable = (tenants: readonly Tenant[]): Table => ({
  columns: [
    'name',
    'status',
    'max upload',
    'quota',
    'used',
    'reserved',
    'tokens a day',
    'live agents',
    'created',
    'id',
  ],
  rows: tenants.map((tenant) => [
    tenant.name,
    tenant.status,
    limit(tenant.maxUploadBytes),
    limit(tenant.quotaBytes),
    formatBytes(tenant.usedBytes),
    formatBytes(tenant.reservedBytes),
    String(tenant.tokensPerDay ?? '-'),
    String(tenant.maxLiveAgents ?? '-'),
    tenant.createdAt,
    tenant.id,
  ]),
});

const keyTable = (keys: readonly ApiKey[]): Table => ({
  columns: ['id', 'name', 'status', 'scopes', 'created', 'ends', 'replaces'],
  rows: keys.map((key) => [
    key.id,
    key.name,
    key.status,
    key.scopes.join(','),
    key.createdAt,
    key.revokedAt ?? key.expiresAt ?? '-',
    key.rotatedFrom ?? '-',
  ]),
});

const secretTable = (made: readonly NewApiKey[]): Table => ({
  columns: ['key', 'name', 'secret'],
  rows: made.map(({ key, secret }) => [key.id, key.name, secret]),
});

const UNTIL_VERSION = 'It holds for plans that are made from now on, until an agent starts with another version.';

const contradictionTable = (contradictions: readonly Contradiction[]): Table => ({
  columns: ['row', 'kind', 'version', 'for', 'since', 'why'],
  rows: contradictions.map(({ row, kind, programVersion, isForAll, date, note }) => [
    ...[row, kind, programVersion === '' ? '-' : programVersion],
    ...[isForAll ? 'all tenants' : 'the tenant', date, note],
  ]),
});

const gatewayTable = (gateways: readonly GatewayView[]): Table => ({
  columns: ['gateway', 'state', 'sessions', 'lease', 'started'],
  rows: gateways.map(({ gateway, state, sessions, leaseMs, startedAt }) => [
    ...[gateway, state, String(sessions), leaseMs > 0 ? `${(leaseMs / 1000).toFixed(1)} s` : '-', startedAt],
  ]),
});

const morePages = (nextCursor: string | null) => (nextCursor === null ? [] : [`There is more: --cursor ${nextCursor}`]);

const showTenant = ({ tenant }: { tenant: Tenant }): View => ({ table: tenantTable([tenant]), notes: [] });
const showSecret = (made: NewApiKey): View => ({ table: secretTable([made]), notes: [SHOWN_ONCE] });

const views: { readonly [C in OperatorCommand]: (output: OperatorOutput<C>) => View } = {
  'tenant.create': ({ tenant, ...made }) => ({
    table: secretTable([made]),
    notes: [`The tenant ${tenant.name} was made, with a key for everything.`, SHOWN_ONCE],
  }),
  'tenant.list': ({ items, nextCursor }) => ({ table: tenantTable(items), notes: morePages(nextCursor) }),
  'tenant.set': showTenant,
  'tenant.endUrls': ({ tenant }) => ({
    table: tenantTable([tenant]),
    notes: ['Every signed URL of the tenant has ended.'],
  }),
  'tenant.revoke': showTenant,
  'tenant.restore': showTenant,
  'tenant.rotate': ({ keys }) => ({
    table: secretTable(keys),
    notes: keys.length === 0 ? ['No key of the tenant can be rotated.'] : [SHOWN_ONCE],
  }),
  'key.create': showSecret,
  'key.list': ({ items, nextCursor }) => ({ table: keyTable(items), notes: morePages(nextCursor) }),
  'key.rotate': showSecret,
  'key.revoke': ({ key }) => ({ table: keyTable([key]), notes: [] }),
  'dead.list': ({ items, nextCursor }) => ({
    table: {
      columns: ['tenant', 'id', 'consumer', 'subject', 'attempts', 'since', 'replayed', 'reason'],
      rows: items.map((letter) => [
        ...[letter.tenantId, letter.id, letter.consumer, letter.subject, String(letter.attempts)],
        ...[letter.createdAt, letter.replayedAt ?? '-', letter.reason],
      ]),
    },
    notes: morePages(nextCursor),
  }),
  'dead.replay': ({ outcome }) => ({ table: { columns: ['outcome'], rows: [[outcome]] }, notes: [] }),
  'dead.replayAll': ({ replayedCount, leftCount }) => ({
    table: { columns: ['replayed', 'left'], rows: [[String(replayedCount), String(leftCount)]] },
    notes: leftCount === 0 ? [] : ['What is left could not be replayed just now. Say it again.'],
  }),
  'secret.rewrap': ({ kid, rewrappedCount, changedCount, missingKeys, damagedCount }) => ({
    table: {
      columns: ['key', 'rewrapped', 'changed meanwhile', 'key missing', 'damaged'],
      rows: [
        [
          kid,
          rewrappedCount,
          changedCount,
          Object.values(missingKeys).reduce((sum, each) => sum + each, 0),
          damagedCount,
        ].map(String),
      ],
    },
    notes: [
      ...(changedCount === 0 ? [] : ['What changed meanwhile was left as it is. Say it again.']),
      ...Object.entries(missingKeys).map(
        ([missing, found]) => `${found} sealed to the key ${missing}, which is not in ATTACHE_SECRET_KEYS.`,
      ),
      ...(damagedCount === 0 ? [] : ['What is damaged cannot be opened by anybody: its tenant has to save it again.']),
    ],
  }),
  'capability.contradict': ({ contradiction }) => ({
    table: contradictionTable([contradiction]),
    notes: [UNTIL_VERSION],
  }),
  'capability.restore': ({ restored, forgottenCount }) => ({
    table: contradictionTable(restored),
    notes: [
      ...(restored.length === 0 ? ['Nothing was said against it.'] : []),
      ...(forgottenCount === 0 ? [] : [`What ${forgottenCount} turns showed is forgotten: they are counted again.`]),
    ],
  }),
  'capability.list': ({ items }) => ({ table: contradictionTable(items), notes: [] }),
  'gateway.list': ({ items }) => ({ table: gatewayTable(items), notes: [] }),
  'gateway.drain': ({ gateway }) => ({
    table: gatewayTable([gateway]),
    notes: ['It lets go of its sessions as their turns end, and takes no others until it is started again.'],
  }),
  'session.list': ({ items, nextCursor }) => ({
    table: {
      columns: ['session', 'state', 'gateway', 'epoch', 'deaths'],
      rows: items.map(({ sessionId, state, gateway, epoch, deaths }) => [
        ...[sessionId, state, gateway ?? '-', String(epoch ?? '-'), String(deaths)],
      ]),
    },
    notes: morePages(nextCursor),
  }),
  'session.move': ({ outcome }) => ({
    table: { columns: ['outcome'], rows: [[outcome]] },
    notes:
      outcome === 'asked' ? ['It moves when its turn has ended.'] : ['No gateway has it: the next message finds one.'],
  }),
  'session.unpark': ({ outcome }) => ({ table: { columns: ['outcome'], rows: [[outcome]] }, notes: [] }),
  'gc.run': (counts) => ({
    table: { columns: ['what', 'count'], rows: Object.entries(counts).map(([what, count]) => [what, String(count)]) },
    notes: [],
  }),
};

/** The view of a command's answer for people. */
export function showOutput<C extends OperatorCommand>(name: C, output: OperatorOutput<C>): View {
  return (views[name] as (output: OperatorOutput<C>) => View)(output);
}
