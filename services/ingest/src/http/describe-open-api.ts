import { Hono } from 'hono';
import { addRoutes } from './app.ts';
import type { HttpDeps, HttpEnv } from './context.ts';
import { createApiDocument } from './document/api-document.ts';

/** The OpenAPI document of the public surface, without starting anything. */
export function describeOpenApi(): object {
  const settings = { basePath: '/v1' };
  const document = createApiDocument(settings);
  // Routes are added to an app that nobody calls.
  addRoutes(new Hono<HttpEnv>(), { settings, document } as unknown as HttpDeps, () => '');
  return document.compose();
}
