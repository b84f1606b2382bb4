import { useQuerySchema, useReportSchema } from '@attache/contracts';
import { readUse } from '../../../access/read-use.ts';
import { addRoute, json } from '../../add-route.ts';
import type { HttpApp, HttpDeps } from '../../context.ts';

export function addUseRoutes(app: HttpApp, deps: HttpDeps): void {
  addRoute(app, deps, 'readUse', {
    summary: 'What providers of models counted for the tenant, by day, session or model',
    query: useQuerySchema,
    answers: { 200: json(useReportSchema, 'A page of sums. A request counts once it has ended.') },
    async handle(c, { query }) {
      return c.json(await readUse(deps, c.get('caller'), query));
    },
  });
}
