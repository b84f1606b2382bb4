import {
  controlRights,
  controlRoleOf,
  type ServiceRights,
  serviceRights,
  type TableRights,
} from '@attache/database/service-rights';
import { type GeneratedDoc, NOTE } from './generated-doc.ts';

const services = ['ingest', 'projector', 'gateway', 'operator'] as const;
const inControl = ['projector', 'gateway', 'operator'] as const;

/** The rights of each login: to the rows of a tenant, and to control tables. */
export function composeRightsDocs(): GeneratedDoc[] {
  const text = `# Rights in the database

${NOTE}

On the hosted stack each service has a login of its own, and so have the commands of operators. \`attache migrate\` runs under the owner of the tables, which
sees no row of them.

## Inside a tenant

A login acts as a role of its own: \`attache_ingest\` as \`attache_ingest_app\`, and so on. Row-level security lets a role see the rows of the tenant of its
transaction, whatever its rights. A table that is not here is closed to all four.

${tabulate(services, serviceRights)}

Of \`message_text\` the projector sees only what belongs to a delivery that waits to be prepared.

## Control tables

They hold ids, states and times of all tenants, and no content. For them the projector acts as \`${controlRoleOf.projector}\`, the gateway as
\`${controlRoleOf.gateway}\`, and operators as \`${controlRoleOf.operator}\`. **Ingest enters no role for them.**

${tabulate(inControl, controlRights)}

## Functions

Each looks for tables in \`public\` alone, and has the rights of a role that nobody logs in as.

| Functions of | Do | May be called by |
| --- | --- | --- |
| \`attache_owner\` | look up a tenant by a key's, an attachment's or its own name; find names of files by their parts; say whether a process lives | the roles that need it |
| | go through the tenants for upkeep; list them by name | the projector; operators alone |
| \`attache_control\` | claim, publish, give back and count messages of a relay; take and renew the lease of a process; count dead letters | ingest, projector, gateway; of these the last also operators |
| \`attache_teller\` | puts messages of the entered tenant into the outbox, those that the login has to tell; no role that acts inside a tenant writes it otherwise | ingest, projector, gateway, operators |
| \`attache_pruner\` | remove what logs say, long after | operators, the embedded stack |

With the login of ingest the lease of a gateway can be neither taken nor ended. What it can do by these functions: claim and mark messages of all tenants, which hold ids, and so delay them.

The embedded stack is one process with one login; its role \`attache_app\` may what the three services may together.

A [test](../packages/database/contract/connection/service-rights.int.test.ts) compares these tables with the privileges in a migrated database, in both directions.
`;
  return [{ path: 'docs/database-rights.md', text }];
}

function tabulate<Name extends string>(names: readonly Name[], rights: Readonly<Record<Name, ServiceRights>>): string {
  const tables = [...new Set(names.flatMap((name) => Object.keys(rights[name])))].toSorted();
  const rows = tables.map(
    (table) => `| \`${table}\` | ${names.map((name) => describeRights(rights[name][table])).join(' | ')} |`,
  );
  return [`| Table | ${names.join(' | ')} |`, `|${' --- |'.repeat(names.length + 1)}`, ...rows].join('\n');
}

function describeRights(rights: TableRights | undefined): string {
  if (rights === undefined) return '–';
  const { select, insert, update, delete: remove } = rights;
  const ofColumns = (right: string, columns: true | readonly string[]) =>
    columns === true ? right : `${right} ${columns.map((column) => `\`${column}\``).join(', ')}`;
  const parts = [
    ...(select ? [ofColumns('read', select)] : []),
    ...(insert ? ['add'] : []),
    ...(update ? [ofColumns('change', update)] : []),
    ...(remove ? ['remove'] : []),
  ];
  return parts.join('; ');
}
