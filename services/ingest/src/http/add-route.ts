import { type RouteName, routes } from '@attache/contracts';
import type { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { type JsonLimits, parseWith, type ReadJson, readJson } from './bytes/read-json.ts';
import type { HttpApp, HttpDeps, HttpEnv } from './context.ts';
import type { Answer, DescribedRoute } from './document/describe-operation.ts';
import { createGate } from './gate.ts';
import type { LaneHolder } from './shares/caller-lanes.ts';

/** The input of a handler. `texts` were cut out of the body; each is named by its digest. */
type Input<B, Q> = { body: B; query: Q; texts: ReadJson<B>['texts'] };

type Details<B extends z.ZodType, Q extends z.ZodType> = DescribedRoute & {
  body?: B;
  query?: Q;
  /** The limits of a JSON body, if they are above the usual ones, and the field whose texts stay bytes. */
  limits?: JsonLimits;
  handle: (c: Context<HttpEnv>, input: Input<z.output<B>, z.output<Q>>) => Promise<Response>;
};

/** An answer with a JSON body. Routes that answer alike give its schema a `name`; without one it has that of the route. */
export const json = (schema: z.ZodType, description: string, name?: string): Answer => ({
  description,
  content: { 'application/json': { schema } },
  ...(name === undefined ? {} : { name }),
});

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

function holderOf(c: Context<HttpEnv>): LaneHolder {
  const { tenantId, actor } = c.get('caller');
  return { tenantId, credential: actor.id };
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
  const isSigned = gate === 'signature';
  deps.document.add(name, details);
  const pattern = `${deps.settings.basePath}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
  app.on(method.toUpperCase(), pattern, createGate(deps, name), async (c) => {
    const query = details.query ? parseWith(details.query, c.req.query()) : undefined;
    const { body: schema } = details;
    const read = schema ? await readBodyOf(c, deps, { ...details, body: schema }) : { ...nothing, body: undefined };
    try {
      const { body, texts } = read;
      const handle = () => details.handle(c, { body, query, texts } as Input<z.output<B>, z.output<Q>>);
      // A read waits for nobody but its database.
      return await (method === 'get' && !isSigned ? deps.lanes.run(holderOf(c), handle) : handle());
    } finally {
      read.release();
    }
  });
}
