import { serviceRights, type TableRights } from '@attache/database/service-rights';
import { type GeneratedDoc, NOTE } from './generated-doc.ts';

const services = ['ingest', 'projector', 'gateway'] as const;

/** What the login of each service may do with the rows of a tenant. */
export function composeRightsDocs(): GeneratedDoc[] {
  const tables = [...new Set(services.flatMap((service) => Object.keys(serviceRights[service])))].toSorted();
  const rows = tables.map((table) => {
    const cells = services.map((service) => describeRights(serviceRights[service][table]));
    return `| \`${table}\` | ${cells.join(' | ')} |`;
  });
  const text = `# Rights in the database

${NOTE}

On the hosted stack each service has a login of its own, and inside a tenant a role of its own: \`attache_ingest\` acts as \`attache_ingest_app\`, and so on.
Row-level security lets a role see the rows of the tenant of its transaction, whatever its rights. A table that is not here is closed to all three.

| Table | ingest | projector | gateway |
| --- | --- | --- | --- |
${rows.join('\n')}

- Of \`message_text\` the projector sees only what belongs to a delivery that waits to be prepared.
- The outbox is in no list: \`attache_put_message\` alone writes it, as a role of its own, the messages that the login has to tell of the tenant that was entered.
- Functions that run with the rights of their owner look up a tenant by a key's, an attachment's or its own name, find names of files by their parts, and
  prune logs. Each looks for tables in \`public\` alone.
- Outside of a tenant each login may also act as \`attache_worker\`. That role reads and writes the control tables of all tenants, which hold ids and no
  content: ${['dead_letter', 'inbox', 'outbox', 'profile_probe', 'replica', 'session_owner', 'sweep'].map((name) => `\`${name}\``).join(', ')}, and
  \`catalog_contradiction\`.
- Operators' commands run under the login of ingest. \`attache migrate\` runs under the owner of the tables, which sees no row of them.
- The embedded stack is one process with one login; its role \`attache_app\` may what the three may together.

A [test](../packages/database/contract/connection/service-rights.int.test.ts) compares this table with the privileges in a migrated database, in both directions.
`;
  return [{ path: 'docs/database-rights.md', text }];
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
