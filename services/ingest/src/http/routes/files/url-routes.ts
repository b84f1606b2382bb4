import { idSchema, uuidFromId, type VariantId, variantPurposeSchema } from '@attache/contracts';
import {
  appendAudit,
  appendAudits,
  findSession,
  raiseUrlGeneration,
  readAttachments,
  type StoredAttachment,
} from '@attache/database';
import { DEFAULT_URL_LIFETIME_SECONDS, expiryOf, signRawUrl } from '@attache/intake';
import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { assertMayHaveUrls } from '../../../caller/caller.ts';
import { attachmentNotFound, sessionNotFound } from '../../../not-found.ts';
import type { Keep } from '../../../once/run-once.ts';
import { addRoute, json } from '../../add-route.ts';
import { answerOnce } from '../../answer-once.ts';
import type { HttpApp, HttpDeps, HttpEnv } from '../../context.ts';
import { findForCaller } from '../../find-for-caller.ts';

const lifeOfUrl = z.object({
  ttlSeconds: z.int().min(1).max(DEFAULT_URL_LIFETIME_SECONDS).optional().describe('For how many seconds it holds.'),
  disposition: z.enum(['inline', 'attachment']).optional().describe('Whether a browser shows the file or saves it.'),
});
const createUrlBody = z.strictObject({
  ...lifeOfUrl.shape,
  variant: z.string().optional().describe('Id of the variant that is meant; the original, if absent.'),
});
const urlAnswer = z.object({
  url: z.string().describe('The URL. Whoever holds it may read the bytes.'),
  expiresAt: z.string(),
});

const MAX_ATTACHMENTS = 100;
const createUrlsBody = z.strictObject({
  attachmentIds: z.array(idSchema('attachment')).min(1).max(MAX_ATTACHMENTS),
  ...lifeOfUrl.shape,
  variant: variantPurposeSchema
    .optional()
    .describe('The first variant of each file that was made for this; the originals, if absent.'),
});
const attachmentId = idSchema('attachment');
const urlsAnswer = z.object({
  urls: z.array(urlAnswer.extend({ attachmentId })).describe('One URL for each file.'),
  missing: z
    .array(
      z.object({
        attachmentId,
        what: z.enum(['attachment', 'variant']).describe('What is missing: the file, or the variant of it.'),
      }),
    )
    .describe('Files that have no such URL.'),
});

function signUrl(
  deps: HttpDeps,
  baseUrl: string,
  c: Context<HttpEnv>,
  stored: StoredAttachment,
  { variantId, ...request }: { variantId: VariantId | undefined } & z.output<typeof lifeOfUrl>,
) {
  const { tenantId, urls } = c.get('caller');
  const nowSeconds = Date.now() / 1000;
  // A lifetime that was asked for is given whole; one that was not is that of an upload's URL.
  const expiresAt =
    request.ttlSeconds === undefined
      ? expiryOf(urls.maxLifetimeSeconds, nowSeconds)
      : Math.floor(nowSeconds) + Math.min(request.ttlSeconds, urls.maxLifetimeSeconds);
  const url = signRawUrl(deps.signingKeys, baseUrl, tenantId, {
    attachmentId: stored.attachment.id,
    expiresAt,
    generation: stored.urlGeneration,
    tenantGeneration: urls.tenantGeneration,
    variantId,
    disposition: request.disposition,
  });
  return { url, expiresAt: new Date(expiresAt * 1000).toISOString() };
}

/** Refuses an id that is no variant of the attachment. */
function requireVariant({ attachment: { variants } }: StoredAttachment, id: string | undefined): VariantId | undefined {
  const variant = variants.find((each) => each.id === id);
  if (id !== undefined && !variant) throw attachmentNotFound();
  return variant?.id;
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
        const answer = signUrl(deps, baseUrl(), c, stored, {
          ...body,
          variantId: requireVariant(stored, body.variant),
        });
        const { tenantId, actor } = c.get('caller');
        await deps.db.asTenant(tenantId, async (tx) => {
          await appendAudit(tx, { tenantId, actor, action: 'urls.created', subjectId: stored.attachment.id });
          await keep.inTransaction(tx, answer);
        });
        return answer;
      });
    },
  });
  addRoute(app, deps, 'createSessionUrls', {
    isRepeatable: true,
    summary: 'Make signed URLs of many attachments of a session',
    body: createUrlsBody,
    answers: {
      201: json(urlsAnswer, 'The URLs, in the order in which their attachments were named; and what has none.'),
    },
    handle(c, { body }) {
      assertMayHaveUrls(c.get('caller'));
      const request = { route: 'createSessionUrls', status: 201, body } as const;
      return answerOnce(deps, c, request, (keep) => createUrls(deps, baseUrl(), c, body, keep));
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

async function createUrls(
  deps: HttpDeps,
  baseUrl: string,
  c: Context<HttpEnv>,
  { attachmentIds, variant, ...life }: z.output<typeof createUrlsBody>,
  keep: Keep,
): Promise<z.output<typeof urlsAnswer>> {
  const { tenantId, actor } = c.get('caller');
  const sessionId = c.get('sessionId');
  return deps.db.asTenant(tenantId, async (tx) => {
    const ids = [...new Set(attachmentIds)];
    const [session, found] = await Promise.all([findSession(tx, sessionId), readAttachments(tx, ids.map(uuidFromId))]);
    if (!session) throw sessionNotFound();
    const here = found.filter((stored) => stored.sessionId === sessionId);
    const byId = new Map(here.map((stored) => [stored.attachment.id, stored]));
    const answer: z.output<typeof urlsAnswer> = { urls: [], missing: [] };
    for (const id of ids) {
      const stored = byId.get(id);
      const variantId = stored?.attachment.variants.find(({ purpose }) => purpose === variant)?.id;
      if (!stored) answer.missing.push({ attachmentId: id, what: 'attachment' });
      else if (variant && !variantId) answer.missing.push({ attachmentId: id, what: 'variant' });
      else answer.urls.push({ attachmentId: id, ...signUrl(deps, baseUrl, c, stored, { ...life, variantId }) });
    }
    const entry = { tenantId, actor, action: 'urls.created' } as const;
    await appendAudits(
      tx,
      answer.urls.map(({ attachmentId: subjectId }) => ({ ...entry, subjectId })),
    );
    await keep.inTransaction(tx, answer);
    return answer;
  });
}
