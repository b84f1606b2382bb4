import { problemSchema, type RouteName, routes } from '@attache/contracts';
import { type RouteConfig, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { type JsonLimits, parseWith, type ReadJson, readJson } from './bytes/read-json.ts';
import type { HttpApp, HttpDeps, HttpEnv } from './context.ts';
import { createGate } from './gate.ts';

/** What a handler gets. `texts` were cut out of the body; each has its digest as name. */
type Input<B, Q> = { body: B; query: Q; texts: ReadJson<B>['texts'] };

type Details<B extends z.ZodType, Q extends z.ZodType> = {
  summary: string;
  /** Schema of a JSON body. */
  body?: B;
  /** A body that the handler streams: described as plain JSON schema, since a zod form body would be read into memory first. */
  streamedBody?: Record<string, { schema: Record<string, unknown> }>;
  /** An absent body is taken as an empty object. */
  isBodyOptional?: boolean;
  query?: Q;
  /** Takes an `Idempotency-Key`: a repeated request gets the first answer. */
  isRepeatable?: boolean;
  /** What a JSON body may hold, where that is more than usual, and what of it stays bytes. */
  limits?: JsonLimits;
  answers: RouteConfig['responses'];
  handle: (c: Context<HttpEnv>, input: Input<z.output<B>, z.output<Q>>) => Promise<Response>;
};

const refusals: Record<number, string> = {
  400: 'The request does not fit its schema, or its body is malformed.',
  401: 'No valid credential, or an invalid signature.',
  403: 'The caller may see the thing but lacks the right.',
  404: 'Unknown, deleted, of another tenant, or not visible to this caller.',
  409: 'The present state does not allow it.',
  413: 'Larger than the limit.',
  422: 'Understood and refused; `failures` say why.',
  429: 'Too many requests, or the quota is used up; `Retry-After` says when waiting helps.',
  503: 'A dependency does not answer.',
};

const refusalAnswers = Object.fromEntries(
  Object.entries(refusals).map(([status, description]) => [
    status,
    { description, content: { 'application/problem+json': { schema: problemSchema } } },
  ]),
);

const idempotencyHeader = z.object({
  'idempotency-key': z
    .string()
    .optional()
    .openapi({ description: 'Kept for 24 hours; the same request gets the same answer.' }),
});

/** An answer with a JSON body. */
export const json = (schema: z.ZodType, description: string) => ({
  description,
  content: { 'application/json': { schema } },
});

function describeParams(path: string): z.ZodObject | undefined {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  return names.length === 0 ? undefined : z.object(Object.fromEntries(names.map((name) => [name, z.string()])));
}

function describeRequest(path: string, details: Details<z.ZodType, z.ZodType>): RouteConfig['request'] {
  const params = describeParams(path);
  const { body, streamedBody, isBodyOptional, query, isRepeatable } = details;
  const content = streamedBody ?? (body && { 'application/json': { schema: body } });
  return {
    ...(params ? { params } : {}),
    ...(query ? { query: query as z.ZodObject } : {}),
    ...(isRepeatable ? { headers: idempotencyHeader } : {}),
    ...(content ? { body: { required: !isBodyOptional, content } } : {}),
  };
}

async function readBodyOf<B extends z.ZodType>(
  c: Context<HttpEnv>,
  deps: HttpDeps,
  { body, isBodyOptional, limits }: Pick<Details<B, z.ZodType>, 'isBodyOptional' | 'limits'> & { body: B },
): ReturnType<typeof readJson<B>> {
  const { headers } = c.env.incoming;
  const isAbsent = Number(headers['content-length'] ?? 0) === 0 && headers['transfer-encoding'] === undefined;
  if (isBodyOptional && isAbsent) return { ...nothing, body: parseWith(body, {}) };
  return readJson(c, body, deps.bodyBudget, limits);
}

const nothing = { texts: new Map<string, Uint8Array>(), release: () => {} };

/** Adds a route of the table in contracts: its gate, its checked input, and its description in the OpenAPI document. */
export function addRoute<B extends z.ZodType, Q extends z.ZodType>(
  app: HttpApp,
  deps: HttpDeps,
  name: RouteName,
  details: Details<B, Q>,
): void {
  const { method, path, gate } = routes[name];
  app.openAPIRegistry.registerPath({
    method,
    path: `${deps.settings.basePath}${path}`,
    operationId: name,
    summary: details.summary,
    security: gate === 'signature' ? [] : [{ bearer: [] }],
    request: describeRequest(path, details),
    responses: { ...refusalAnswers, ...details.answers },
  } as RouteConfig);
  const pattern = `${deps.settings.basePath}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
  app.on(method.toUpperCase(), pattern, createGate(deps, name), async (c) => {
    const query = details.query ? parseWith(details.query, c.req.query()) : undefined;
    const { body: schema } = details;
    const read = schema ? await readBodyOf(c, deps, { ...details, body: schema }) : { ...nothing, body: undefined };
    try {
      const { body, texts } = read;
      return await details.handle(c, { body, query, texts } as Input<z.output<B>, z.output<Q>>);
    } finally {
      read.release();
    }
  });
}
