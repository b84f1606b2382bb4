import { saveOriginsRequestSchema, tenantOriginsSchema } from '@attache/contracts';
import { readOrigins, saveOrigins } from '../../../access/manage-origins.ts';
import { addRoute, json } from '../../add-route.ts';
import type { HttpApp, HttpDeps } from '../../context.ts';

export function addOriginRoutes(app: HttpApp, deps: HttpDeps): void {
  addRoute(app, deps, 'readOrigins', {
    summary: 'List the origins whose pages may call the API for the tenant',
    answers: { 200: json(tenantOriginsSchema, 'All of them: a tenant has at most 100.', 'OriginsAnswer') },
    async handle(c) {
      return c.json(await readOrigins(deps, c.get('caller')));
    },
  });
  addRoute(app, deps, 'saveOrigins', {
    summary: 'Replace the origins whose pages may call the API for the tenant',
    body: saveOriginsRequestSchema,
    answers: {
      200: json(tenantOriginsSchema, 'All of them. Every process follows within 5 seconds.', 'OriginsAnswer'),
    },
    async handle(c, { body }) {
      const caller = c.get('caller');
      const previous = await saveOrigins(deps, caller, body.origins);
      deps.origins.forget(caller.tenantId, [...previous, ...body.origins]);
      return c.json({ origins: body.origins });
    },
  });
}
