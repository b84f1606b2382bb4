import { attachmentKindSchema, attachmentOriginSchema, attachmentSchema, uuidFromId } from '@attache/contracts';
import {
  appendAudit,
  findAttachment,
  findSession,
  listAttachments,
  raiseUrlGeneration,
  type StoredAttachment,
} from '@attache/database';
import { DEFAULT_URL_LIFETIME_SECONDS, signRawUrl } from '@attache/intake';
import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { assertMayHaveUrls } from '../../caller/caller.ts';
import { formatCursor, parseCursor } from '../../log/cursor.ts';
import { deleteAttachment } from '../../message/delete-attachment.ts';
import { attachmentNotFound, sessionNotFound } from '../../not-found.ts';
import { addRoute, json } from '../add-route.ts';
import { answerOnce } from '../answer-once.ts';
import type { HttpApp, HttpDeps, HttpEnv } from '../context.ts';
import { admitToThing, parseId } from '../gate.ts';

const listQuery = z.object({
  origin: attachmentOriginSchema.optional(),
  kind: attachmentKindSchema.optional(),
  // The database takes no NUL, and no name holds one.
  name: z
    .string()
    .max(200)
    .regex(/^[^\0]*$/, 'must hold no NUL')
    .optional(),
  cursor: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});
const attachmentList = z.object({ items: z.array(attachmentSchema), nextCursor: z.string().nullable() });

const createUrlBody = z.strictObject({
  ttlSeconds: z.int().min(1).max(DEFAULT_URL_LIFETIME_SECONDS).optional(),
  disposition: z.enum(['inline', 'attachment']).optional(),
  variant: z.string().optional(),
});
const urlAnswer = z.object({ url: z.string(), expiresAt: z.string() });

/** The attachment of the path, for a caller who may see it and has the route's right. */
async function findForCaller(
  deps: HttpDeps,
  c: Context<HttpEnv>,
  name: 'readAttachment' | 'deleteAttachment' | 'createUrl' | 'endUrls',
): Promise<StoredAttachment> {
  const caller = c.get('caller');
  const attachmentId = parseId('attachment', c.req.param('attachmentId'), attachmentNotFound);
  const stored = await deps.db.readAsTenant(caller.tenantId, (tx) => findAttachment(tx, attachmentId));
  if (!stored) throw attachmentNotFound();
  admitToThing(name, caller, stored.sessionId, attachmentNotFound);
  return stored;
}

function signUrl(
  deps: HttpDeps,
  baseUrl: string,
  c: Context<HttpEnv>,
  stored: StoredAttachment,
  request: z.output<typeof createUrlBody>,
) {
  const variant = stored.attachment.variants.find(({ id }) => id === request.variant);
  if (request.variant !== undefined && !variant) throw attachmentNotFound();
  const { tenantId, urls } = c.get('caller');
  const lifetimeSeconds = Math.min(request.ttlSeconds ?? DEFAULT_URL_LIFETIME_SECONDS, urls.maxLifetimeSeconds);
  const expiresAt = Math.floor(Date.now() / 1000) + lifetimeSeconds;
  const url = signRawUrl(deps.signingKeys, baseUrl, tenantId, {
    attachmentId: stored.attachment.id,
    expiresAt,
    generation: stored.urlGeneration,
    tenantGeneration: urls.tenantGeneration,
    variantId: variant?.id,
    disposition: request.disposition,
  });
  return { url, expiresAt: new Date(expiresAt * 1000).toISOString() };
}

export function addAttachmentRoutes(app: HttpApp, deps: HttpDeps): void {
  addRoute(app, deps, 'listAttachments', {
    summary: 'List the attachments of a session, oldest first',
    query: listQuery,
    answers: { 200: json(attachmentList, 'A page of attachments.') },
    async handle(c, { query: { cursor, ...query } }) {
      const sessionId = c.get('sessionId');
      const after = cursor === undefined ? undefined : parseCursor(deps.signingKeys, cursor);
      const found = await deps.db.readAsTenant(c.get('caller').tenantId, async (tx) => {
        // Sent together: the answers come in one round trip.
        const [session, listed] = await Promise.all([
          findSession(tx, sessionId),
          listAttachments(tx, { ...query, sessionId, after, limit: query.limit + 1 }),
        ]);
        if (!session) throw sessionNotFound();
        return listed;
      });
      const items = found.slice(0, query.limit).map(({ attachment }) => attachment);
      const last = items.at(-1);
      const hasMore = found.length > query.limit && last !== undefined;
      const position = hasMore ? { createdAt: new Date(last.createdAt), id: uuidFromId(last.id) } : undefined;
      return c.json({ items, nextCursor: position ? formatCursor(deps.signingKeys, position) : null });
    },
  });
  addRoute(app, deps, 'readAttachment', {
    summary: 'Read the descriptor of an attachment',
    answers: { 200: json(z.object({ attachment: attachmentSchema }), 'The attachment.') },
    async handle(c) {
      const { attachment } = await findForCaller(deps, c, 'readAttachment');
      return c.json({ attachment });
    },
  });
  addRoute(app, deps, 'deleteAttachment', {
    summary: 'Delete an attachment',
    answers: { 204: { description: 'Deleted.' } },
    async handle(c) {
      const stored = await findForCaller(deps, c, 'deleteAttachment');
      await deleteAttachment(deps, c.get('caller'), stored.id);
      return c.body(null, 204);
    },
  });
}

export function addUrlRoutes(app: HttpApp, deps: HttpDeps, baseUrl: () => string): void {
  addRoute(app, deps, 'createUrl', {
    isRepeatable: true,
    summary: 'Make a signed URL',
    body: createUrlBody,
    answers: { 201: json(urlAnswer, 'The URL; whoever holds it may read the bytes.') },
    async handle(c, { body }) {
      const stored = await findForCaller(deps, c, 'createUrl');
      assertMayHaveUrls(c.get('caller'));
      const request = {
        route: 'createUrl' as const,
        status: 201 as const,
        body: { ...body, attachmentId: stored.attachment.id },
      };
      return answerOnce(deps, c, request, async (keep) => {
        const answer = signUrl(deps, baseUrl(), c, stored, body);
        const { tenantId, actor } = c.get('caller');
        await deps.db.asTenant(tenantId, async (tx) => {
          await appendAudit(tx, { tenantId, actor, action: 'urls.created', subjectId: stored.attachment.id });
          await keep.inTransaction(tx, answer);
        });
        return answer;
      });
    },
  });
  addRoute(app, deps, 'endUrls', {
    summary: 'End every signed URL given so far',
    answers: { 204: { description: 'A new URL generation has begun.' } },
    async handle(c) {
      const stored = await findForCaller(deps, c, 'endUrls');
      const { tenantId, actor } = c.get('caller');
      await deps.db.asTenant(tenantId, async (tx) => {
        await raiseUrlGeneration(tx, stored.id);
        await appendAudit(tx, { tenantId, actor, action: 'urls.ended', subjectId: stored.attachment.id });
      });
      return c.body(null, 204);
    },
  });
}
