import { attachmentKindSchema, attachmentOriginSchema, attachmentSchema, uuidFromId } from '@attache/contracts';
import { findSession, listAttachments } from '@attache/database';
import { z } from '@hono/zod-openapi';
import { assertRight } from '../../../caller/caller.ts';
import { formatCursor, parseCursor } from '../../../log/cursor.ts';
import { deleteAttachment } from '../../../message/files/delete-attachment.ts';
import { nameEncoding } from '../../../message/files/name-encoding.ts';
import { sessionNotFound } from '../../../not-found.ts';
import { addRoute, json } from '../../add-route.ts';
import type { HttpApp, HttpDeps } from '../../context.ts';
import { findForCaller } from '../../find-for-caller.ts';
import { readEncoding } from '../../read-encoding.ts';

const listQuery = z.object({
  origin: attachmentOriginSchema.optional().describe('Only files that came from there.'),
  kind: attachmentKindSchema.optional().describe('Only files of this kind.'),
  // The database takes no NUL, and no name holds one.
  name: z
    .string()
    .max(200)
    .regex(/^[^\0]*$/, 'must hold no NUL')
    .optional()
    .describe('Only files of this name.'),
  cursor: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});
const changeBody = z.strictObject({
  encoding: z.string().max(64).describe('Label of the encoding in which the text is to be read.'),
});
const attachmentList = z.object({ items: z.array(attachmentSchema), nextCursor: z.string().nullable() });

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
    answers: { 200: json(z.object({ attachment: attachmentSchema }), 'The attachment.', 'AttachmentAnswer') },
    async handle(c) {
      const { attachment } = await findForCaller(deps, c, 'readAttachment');
      return c.json({ attachment });
    },
  });
  addRoute(app, deps, 'changeAttachment', {
    summary: 'Name the encoding of a text',
    body: changeBody,
    answers: { 200: json(z.object({ attachment: attachmentSchema }), 'The attachment.', 'AttachmentAnswer') },
    async handle(c, { body }) {
      const encoding = readEncoding(body.encoding);
      const stored = await findForCaller(deps, c, 'changeAttachment');
      // The answer shows the file: to a caller who uploaded it, or may read all.
      if (stored.uploadedBy !== c.get('caller').actor.id) assertRight(c.get('caller'), 'attachments:read');
      return c.json({ attachment: await nameEncoding(deps, c.get('caller'), stored, encoding) });
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
