import { auditActionSchema, auditEntrySchema } from '@attache/contracts';
import { listAudit } from '@attache/database';
import { z } from '@hono/zod-openapi';
import { formatCursor, parseCursor } from '../../../log/cursor.ts';
import { addRoute, json } from '../../add-route.ts';
import type { HttpApp, HttpDeps } from '../../context.ts';

const auditQuery = z.object({
  action: auditActionSchema.optional().describe('Only entries of this action.'),
  cursor: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});
const auditList = z.object({ items: z.array(auditEntrySchema), nextCursor: z.string().nullable() });

export function addAuditRoutes(app: HttpApp, deps: HttpDeps): void {
  addRoute(app, deps, 'listAudit', {
    summary: 'The audit log of the tenant, newest first',
    query: auditQuery,
    answers: { 200: json(auditList, 'A page of entries.') },
    async handle(c, { query: { cursor, action, limit } }) {
      const before = cursor === undefined ? undefined : parseCursor(deps.signingKeys, cursor);
      const found = await deps.db.asTenant(c.get('caller').tenantId, (tx) =>
        listAudit(tx, { action, before, limit: limit + 1 }),
      );
      const items = found.slice(0, limit);
      const last = found.length > limit ? items.at(-1) : undefined;
      const position = last && { createdAt: new Date(last.at), id: last.id };
      return c.json({ items, nextCursor: position ? formatCursor(deps.signingKeys, position) : null });
    },
  });
}
