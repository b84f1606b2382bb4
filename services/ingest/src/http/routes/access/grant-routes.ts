import { createGrantRequestSchema, grantSchema } from '@attache/contracts';
import { z } from '@hono/zod-openapi';
import { createGrant, revokeGrant } from '../../../access/manage-grants.ts';
import { grantNotFound } from '../../../not-found.ts';
import { addRoute, json } from '../../add-route.ts';
import { answerOnce } from '../../answer-once.ts';
import type { HttpApp, HttpDeps } from '../../context.ts';
import { parseId } from '../../gate.ts';

const grantAnswer = z.object({ grant: grantSchema.describe('The grant.') });

export function addGrantRoutes(app: HttpApp, deps: HttpDeps): void {
  addRoute(app, deps, 'createGrant', {
    isRepeatable: true,
    summary: 'Grant an agent an attachment of its session',
    body: createGrantRequestSchema,
    answers: { 201: json(grantAnswer, 'The new grant.') },
    handle: (c, { body }) =>
      answerOnce(deps, c, { route: 'createGrant', status: 201, body }, async (keep) => ({
        grant: await createGrant(deps, c.get('caller'), c.get('sessionId'), body, keep),
      })),
  });
  addRoute(app, deps, 'revokeGrant', {
    summary: 'Take a grant back, also one that a message gave',
    answers: { 204: { description: 'Revoked: the agent cannot read the attachment by it any more.' } },
    async handle(c) {
      const grantId = parseId('grant', c.req.param('grantId'), grantNotFound);
      await revokeGrant(deps, c.get('caller'), c.get('sessionId'), grantId);
      return c.body(null, 204);
    },
  });
}
