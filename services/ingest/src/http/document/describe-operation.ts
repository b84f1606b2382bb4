import { type RouteName, type RouteRule, routes } from '@attache/contracts';
import type { z } from '@hono/zod-openapi';
import { refusalAnswers } from './refusals.ts';
import type { SchemaNames } from './schema-names.ts';
import type { JsonSchema } from './tidy-schema.ts';

type Content = Record<string, { schema: z.ZodType | JsonSchema }>;

/** The meaning of one status of a route, and the schema of its content by media type. */
export type Answer = { description: string; content?: Content; name?: string };

/** The description of a route in the document, besides its path, gate and right. */
export type DescribedRoute = {
  summary: string;
  /** Schema of a JSON body. */
  body?: z.ZodType;
  /** A body that the handler streams: described as plain JSON schema, since a zod form body would be read into memory first. */
  streamedBody?: Record<string, { schema: Record<string, unknown> }>;
  /** An absent body is taken as an empty object. */
  isBodyOptional?: boolean;
  query?: z.ZodType;
  /** Takes an `Idempotency-Key`: a repeated request gets the first answer. */
  isRepeatable?: boolean;
  answers: Record<number, Answer>;
};

type Parameter = { name: string; in: string; required: boolean; description?: string; schema: object };
export type Operation = { operationId: string; tags: string[]; summary: string } & Record<string, unknown>;

/** The names of the schemas of a route's query. They are among the parameters, and not among the schemas. */
export const nameQuery = (name: string): string => `${pascalCase(name)}Query`;

/** Describes a route. Its schemas get their names here; those of its query are filled in by `schemas`, once they are described. */
export function describeOperation(name: RouteName, route: DescribedRoute, names: SchemaNames) {
  const { path, gate, right, tag } = routes[name] as RouteRule;
  if (route.query) names.refer(route.query, nameQuery(name));
  const requestBody = describeBody(name, route, names);
  const responses = { ...describeAnswers(name, route, names), ...refusalAnswers };
  return (schemas: Readonly<Record<string, JsonSchema>>): Operation => ({
    operationId: name,
    tags: [tag],
    summary: route.summary,
    description: describeCaller(gate, right),
    security: gate === 'signature' ? [] : [{ bearer: [] }],
    parameters: [
      ...describePath(path),
      ...(route.query ? describeQuery(schemas[nameQuery(name)] ?? {}) : []),
      ...(route.isRepeatable ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ],
    ...(requestBody ? { requestBody } : {}),
    responses,
  });
}

function describeBody(name: RouteName, { body, streamedBody, isBodyOptional }: DescribedRoute, names: SchemaNames) {
  const schema = body && names.refer(body, `${pascalCase(name)}Request`);
  const content = streamedBody ?? (schema && { 'application/json': { schema } });
  return content && { required: !isBodyOptional, content };
}

function describeAnswers(route: RouteName, { answers }: DescribedRoute, names: SchemaNames) {
  return Object.fromEntries(
    Object.entries(answers).map(([status, { description, content, name = `${pascalCase(route)}Answer` }]) => {
      const describe = (schema: z.ZodType | JsonSchema) => ('_zod' in schema ? names.refer(schema, name) : schema);
      const entries = Object.entries(content ?? {}).map(([type, { schema }]) => [type, { schema: describe(schema) }]);
      return [status, { description, ...(content ? { content: Object.fromEntries(entries) } : {}) }];
    }),
  );
}

const whoEnters: Record<RouteRule['gate'], string> = {
  tenant: 'An API key',
  key: 'An API key',
  profile: 'An API key',
  secret: 'An API key',
  session: 'An API key, or a session token of this session,',
  attachment: 'An API key, or a token of the session of the attachment,',
  message: 'An API key, or a token of the session of the message,',
  delivery: 'An API key, or a token of the session of the delivery,',
  signature: 'The signature of the URL admits',
};

const describeCaller = (gate: RouteRule['gate'], right: RouteRule['right']): string =>
  right === undefined ? `${whoEnters[gate]}.` : `${whoEnters[gate]} with the right \`${right}\`.`;

const idNames = ['session', 'agent', 'attachment', 'message', 'delivery', 'grant', 'key'];
const placeDescriptions: Record<string, string> = {
  profile: 'Name of a profile of the operator.',
  model: 'Name of a model, as its provider spells it.',
  name: 'Name of the secret.',
};

function describePath(path: string): Parameter[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const kind = idNames.find((each) => name === `${each}Id`);
    const schema = kind === undefined ? { type: 'string' } : { $ref: `#/components/schemas/${pascalCase(name)}` };
    const description = kind === undefined ? (placeDescriptions[name] ?? '') : `The ${kind}.`;
    return { name, in: 'path', required: true, description, schema };
  });
}

function describeQuery({ properties = {}, required = [] }: JsonSchema): Parameter[] {
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    ...{ name, in: 'query', required: required.includes(name) },
    ...(description === undefined ? {} : { description }),
    schema,
  }));
}

const pascalCase = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
