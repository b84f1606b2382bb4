import type { RouteName } from '@attache/contracts';
import { findAttachment, type StoredAttachment } from '@attache/database';
import type { Context } from 'hono';
import { attachmentNotFound } from '../not-found.ts';
import type { HttpDeps, HttpEnv } from './context.ts';
import { admitToThing, parseId } from './gate.ts';

type AttachmentRoute = Extract<
  RouteName,
  'readAttachment' | 'changeAttachment' | 'deleteAttachment' | 'createUrl' | 'endUrls'
>;

/** The attachment of the path, for a caller who may see it and has the route's right. */
export async function findForCaller(
  deps: HttpDeps,
  c: Context<HttpEnv>,
  name: AttachmentRoute,
): Promise<StoredAttachment> {
  const caller = c.get('caller');
  const attachmentId = parseId('attachment', c.req.param('attachmentId'), attachmentNotFound);
  const stored = await deps.db.readAsTenant(caller.tenantId, (tx) => findAttachment(tx, attachmentId));
  if (!stored) throw attachmentNotFound();
  admitToThing(name, caller, stored.sessionId, attachmentNotFound);
  return stored;
}
