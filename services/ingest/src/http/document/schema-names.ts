import { apiSchemas } from '@attache/contracts';
import { z } from '@hono/zod-openapi';
import { type JsonSchema, tidySchema } from './tidy-schema.ts';

const PLACE = '#/components/schemas/';

export type Reference = { $ref: string };

/** The schemas that routes use, each under one name. */
export type SchemaNames = {
  /** Refers to a schema by its name in contracts; one that has none there gets `name`. */
  refer(schema: z.ZodType, name: string): Reference;
  /** Every schema that a route refers to, and every one that those refer to, by name. */
  describe(): Record<string, JsonSchema>;
};

export function createSchemaNames(): SchemaNames {
  const registry = z.registry<{ id: string }>();
  // The only list that a registry has.
  for (const [id, schema] of apiSchemas._idmap) registry.add(schema, { id });
  const roots = new Set<string>();
  return {
    refer(schema, name) {
      const id = registry.get(schema)?.id ?? name;
      if (!registry.has(schema)) registry.add(schema, { id });
      roots.add(id);
      return { $ref: `${PLACE}${id}` };
    },
    describe() {
      // As callers send it: a field with a default may be left out, and an answer may have more fields than are described.
      const { schemas } = z.toJSONSchema(registry, { io: 'input', uri: (id) => `${PLACE}${id}` });
      const described = Object.fromEntries(
        Object.entries(schemas).map(([name, schema]) => [name, schema as JsonSchema]),
      );
      const names = [...findReached(described, roots)].toSorted();
      return Object.fromEntries(names.map((name) => [name, tidySchema(name, described)]));
    },
  };
}

function findReached(schemas: Readonly<Record<string, JsonSchema>>, roots: ReadonlySet<string>): Set<string> {
  const reached = new Set<string>();
  const waiting = [...roots];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (reached.has(name)) continue;
    reached.add(name);
    const text = JSON.stringify(schemas[name]);
    waiting.push(...[...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, found = '']) => found));
  }
  return reached;
}
