import { MAX_SECRET_BYTES, saveSecretRequestSchema, secretNameSchema, tenantSecretSchema } from '@attache/contracts';
import { z } from '@hono/zod-openapi';
import { putSecret, readSecrets, removeSecret } from '../../../access/manage-secrets.ts';
import { secretNotFound } from '../../../not-found.ts';
import { addRoute, json } from '../../add-route.ts';
import { parseWith } from '../../bytes/read-json.ts';
import type { HttpApp, HttpDeps } from '../../context.ts';

const secretAnswer = z.object({ secret: tenantSecretSchema.describe('The secret.') });
const secretList = z.object({ items: z.array(tenantSecretSchema) });
const place = z.object({ name: secretNameSchema });

// Each byte of a value may be spelled as an escape of six characters.
const MAX_BODY_BYTES = 6 * MAX_SECRET_BYTES + 1024;

export function addSecretRoutes(app: HttpApp, deps: HttpDeps): void {
  addRoute(app, deps, 'listSecrets', {
    summary: 'List the secrets of the tenant, by name; never a value',
    answers: { 200: json(secretList, 'All of them: a tenant has at most 100.') },
    async handle(c) {
      return c.json({ items: await readSecrets(deps, c.get('caller')) });
    },
  });
  addRoute(app, deps, 'saveSecret', {
    summary: 'Save a secret for `tenant:NAME` in a profile; a new version takes the place of the one before',
    body: saveSecretRequestSchema,
    limits: { maxBytes: MAX_BODY_BYTES },
    answers: { 200: json(secretAnswer, 'What is kept, without the value. The next request to the model API uses it.') },
    async handle(c, { body: { value } }) {
      const { name } = parseWith(place, c.req.param());
      return c.json({ secret: await putSecret(deps, c.get('caller'), { name, value }) });
    },
  });
  addRoute(app, deps, 'deleteSecret', {
    summary: 'Delete a secret; the next request that needs it is refused',
    answers: { 204: { description: 'It is gone for good.' } },
    async handle(c) {
      const name = secretNameSchema.safeParse(c.req.param('name'));
      if (!name.success) throw secretNotFound();
      await removeSecret(deps, c.get('caller'), name.data);
      return c.body(null, 204);
    },
  });
}
