import { expect, it } from 'vitest';
import { z } from 'zod';
import { apiSchemas } from './api-schemas.ts';
import * as contracts from './index.ts';

const named = [...apiSchemas._idmap].map(([id, schema]) => ({ id, schema, ...apiSchemas.get(schema) }));

it('each name is that of one schema', () => {
  const exported = Object.values<unknown>(contracts).filter((value): value is z.ZodType => value instanceof z.ZodType);
  const registered = exported.filter((schema) => apiSchemas.has(schema));
  expect(registered.length).toBeGreaterThan(50);
  expect(registered.filter((schema) => !named.some((each) => each.schema === schema))).toEqual([]);
});

it.each(named)('$id says what it is, and its examples fit it', ({ schema, description, examples = [] }) => {
  expect(description?.length).toBeGreaterThan(8);
  for (const example of examples) expect(z.safeParse(schema, example)).toMatchObject({ success: true });
});

it('tools are described without names of the API', () => {
  const { kind, id } = z.toJSONSchema(z.object({ kind: contracts.attachmentKindSchema, id: contracts.idSchema('key') }))
    .properties as Record<string, object>;
  expect(kind).toEqual({ type: 'string', enum: contracts.attachmentKinds });
  expect(Object.keys(id ?? {})).toEqual(['type', 'pattern']);
});
