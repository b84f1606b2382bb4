import { keyNotFound } from '@attache/api-keys/keys';
import { apiKeySchema, createKeyRequestSchema, newApiKeySchema, rotateKeyRequestSchema } from '@attache/contracts';
import { describeApiKey, listApiKeys } from '@attache/database';
import { z } from '@hono/zod-openapi';
import { createKey, replaceKey, revokeKey } from '../../../access/manage-keys.ts';
import { formatCursor, parseCursor } from '../../../log/cursor.ts';
import { addRoute, json } from '../../add-route.ts';
import { answerOnce } from '../../answer-once.ts';
import type { HttpApp, HttpDeps } from '../../context.ts';
import { parseId } from '../../gate.ts';

const listQuery = z.object({
  cursor: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});
const keyList = z.object({ items: z.array(apiKeySchema), nextCursor: z.string().nullable() });

export function addKeyRoutes(app: HttpApp, deps: HttpDeps): void {
  addRoute(app, deps, 'createKey', {
    isRepeatable: true,
    summary: 'Make an API key; its secret is in this answer alone',
    body: createKeyRequestSchema,
    answers: { 201: json(newApiKeySchema, 'The key, and its secret, shown once.') },
    handle: (c, { body }) =>
      answerOnce(deps, c, { route: 'createKey', status: 201, body }, (keep) =>
        createKey(deps, c.get('caller'), body, keep),
      ),
  });
  addRoute(app, deps, 'listKeys', {
    summary: 'List the API keys of the tenant, oldest first; those that ended too',
    query: listQuery,
    answers: { 200: json(keyList, 'A page of keys, without their secrets.') },
    async handle(c, { query: { cursor, limit } }) {
      const after = cursor === undefined ? undefined : parseCursor(deps.signingKeys, cursor);
      const found = await deps.db.asTenant(c.get('caller').tenantId, (tx) =>
        listApiKeys(tx, { after, limit: limit + 1 }),
      );
      const page = found.slice(0, limit);
      const last = found.length > limit ? page.at(-1) : undefined;
      const now = new Date();
      const items = page.map((row) => describeApiKey(row, now));
      return c.json({ items, nextCursor: last ? formatCursor(deps.signingKeys, last) : null });
    },
  });
  addRoute(app, deps, 'rotateKey', {
    isRepeatable: true,
    summary: 'Replace an API key; the old one works for the overlap, an hour without it',
    body: rotateKeyRequestSchema,
    answers: { 201: json(newApiKeySchema, 'The new key, and its secret, shown once.') },
    handle: (c, { body }) => {
      const keyId = parseId('key', c.req.param('keyId'), keyNotFound);
      return answerOnce(deps, c, { route: 'rotateKey', status: 201, body: { ...body, keyId } }, (keep) =>
        replaceKey(deps, c.get('caller'), { ...body, keyId }, keep),
      );
    },
  });
  addRoute(app, deps, 'revokeKey', {
    summary: 'End an API key at once; it stays in the list',
    answers: { 204: { description: 'Revoked, now or before.' } },
    async handle(c) {
      await revokeKey(deps, c.get('caller'), parseId('key', c.req.param('keyId'), keyNotFound));
      return c.body(null, 204);
    },
  });
}
