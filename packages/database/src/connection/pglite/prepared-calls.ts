import { protocol } from '@electric-sql/pglite';
import type { SQL } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import type { GatedPglite } from './gate-queries.ts';

const { serialize } = protocol;
const dialect = new PgDialect();

/**
 * Runs calls of SQL functions on PGlite, one row with one column of jsonb each, as prepared statements whose messages go in one
 * piece. PGlite's own `query` takes six exchanges and parses the statement again each time: for a small call, most of its cost.
 */
export function createPreparedCalls(client: Pick<GatedPglite, 'execProtocol'>): <T>(statement: SQL) => Promise<T> {
  const prepared = new Map<string, Promise<string>>();
  let count = 0;

  const prepare = async (text: string, name: string): Promise<string> => {
    await client.execProtocol(joinMessages(serialize.parse({ name, text }), serialize.sync()));
    return name;
  };
  const nameOf = (text: string): Promise<string> => {
    const known = prepared.get(text);
    if (known) return known;
    const preparing = prepare(text, `call_${count}`);
    count += 1;
    prepared.set(text, preparing);
    preparing.catch(() => prepared.delete(text));
    return preparing;
  };

  return async <T>(statement: SQL) => {
    const { sql: text, params } = dialect.sqlToQuery(statement);
    const values = params.map((value) => (value === null ? null : String(value)));
    const bind = serialize.bind({ statement: await nameOf(text), values });
    const { messages } = await client.execProtocol(joinMessages(bind, serialize.execute({}), serialize.sync()));
    return parseAnswer(messages) as T;
  };
}

function joinMessages(...parts: Uint8Array[]): Uint8Array {
  return Buffer.concat(parts);
}

function parseAnswer(messages: Awaited<ReturnType<GatedPglite['execProtocol']>>['messages']): unknown {
  const row = messages.find(({ name }) => name === 'dataRow') as { fields: (string | null)[] } | undefined;
  const [field = null] = row?.fields ?? [];
  return field === null ? null : JSON.parse(field);
}
