import { apiSchemas, describeField } from '@attache/contracts';

export type JsonSchema = {
  $ref?: string;
  $schema?: string;
  $id?: string;
  type?: string | string[];
  const?: unknown;
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  description?: string;
  examples?: readonly unknown[];
  default?: unknown;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  oneOf?: JsonSchema[];
  anyOf?: JsonSchema[];
  additionalProperties?: JsonSchema | boolean;
  propertyNames?: JsonSchema;
  discriminator?: { propertyName: string; mapping: Record<string, string> };
};

type Schemas = Readonly<Record<string, JsonSchema>>;

/** A named schema as the document shows it: with its texts, and without what means nothing to a reader. */
export function tidySchema(name: string, schemas: Schemas): JsonSchema {
  const { $schema, $id, ...schema } = tidy(schemas[name] ?? {}, schemas);
  const named = apiSchemas._idmap.get(name);
  const { description, examples } = (named && apiSchemas.get(named)) ?? {};
  const words = [description, schema.description].filter((text) => text !== undefined).join(' ');
  const fields = Object.keys(schema.properties ?? {}).map((field) => `\`${field}\``);
  return { ...schema, description: words || `Holds ${fields.join(', ')}.`, ...(examples ? { examples } : {}) };
}

function tidy(schema: JsonSchema, schemas: Schemas): JsonSchema {
  const { items, properties, oneOf, anyOf, additionalProperties } = schema;
  const all = (list: JsonSchema[]) => list.map((each) => tidy(each, schemas));
  return {
    ...dropNoise(schema),
    ...(items ? { items: tidy(items, schemas) } : {}),
    ...(properties ? { properties: tidyProperties(properties, schemas) } : {}),
    ...(oneOf ? { oneOf: all(oneOf), ...findDiscriminator(oneOf, schemas) } : {}),
    ...(anyOf ? { anyOf: all(anyOf) } : {}),
    ...(typeof additionalProperties === 'object' ? { additionalProperties: tidy(additionalProperties, schemas) } : {}),
  };
}

function tidyProperties(properties: Record<string, JsonSchema>, schemas: Schemas) {
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => {
      const { default: standard, description: own, ...bare } = property;
      const tidied = tidy(bare, schemas);
      // As text alone: generators of types take a field with a default for one that has to be there.
      const without = standard === undefined ? undefined : `Without it: \`${JSON.stringify(standard)}\`.`;
      const description = [own ?? describeField(name), without].filter((words) => words !== undefined).join(' ');
      return [name, description === '' ? tidied : { ...tidied, description }];
    }),
  );
}

// A format says what its pattern does, and any whole number is a safe one.
function dropNoise(schema: JsonSchema): JsonSchema {
  const { pattern, minimum, maximum, ...rest } = schema;
  return {
    ...rest,
    ...(pattern === undefined || schema.format !== undefined ? {} : { pattern }),
    ...(minimum === undefined || minimum === Number.MIN_SAFE_INTEGER ? {} : { minimum }),
    ...(maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? {} : { maximum }),
  };
}

/** The field whose constant distinguishes the branches of a union, if all of them have names. */
function findDiscriminator(branches: readonly JsonSchema[], schemas: Schemas): Pick<JsonSchema, 'discriminator'> {
  const named = branches.map(({ $ref }) => ({ $ref, schema: schemas[$ref?.split('/').at(-1) ?? ''] }));
  const propertyName = Object.keys(named[0]?.schema?.properties ?? {}).find((name) =>
    named.every(({ schema }) => schema?.properties?.[name]?.const !== undefined),
  );
  if (propertyName === undefined) return {};
  const mapping = named.map(({ $ref = '', schema }) => [String(schema?.properties?.[propertyName]?.const), $ref]);
  return { discriminator: { propertyName, mapping: Object.fromEntries(mapping) } };
}
