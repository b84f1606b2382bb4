import { capabilitySchema, overrideRequestSchema, targetSchema, tenantOverrideSchema } from '@attache/contracts';
import type { OverrideRow } from '@attache/database';
import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { putOverride, readCapability, removeOverride } from '../../../access/manage-overrides.ts';
import { addRoute, json } from '../../add-route.ts';
import type { HttpApp, HttpDeps, HttpEnv } from '../../context.ts';

const capabilityQuery = z.object({ profile: z.string(), model: z.string().optional() });
const capabilityAnswer = z.object({
  target: targetSchema,
  capability: capabilitySchema.describe('What the model takes.'),
});
const overrideAnswer = z.object({ override: tenantOverrideSchema.describe('The override.') });

const readPlace = (c: Context<HttpEnv>) => ({
  profile: c.req.param('profile') ?? '',
  model: c.req.param('model') ?? '',
});

function describeOverride({ profile, model, capability, reason, author, createdAt }: OverrideRow) {
  return { profile, model, capability, reason, author, createdAt: createdAt.toISOString() };
}

export function addCapabilityRoutes(app: HttpApp, deps: HttpDeps): void {
  addRoute(app, deps, 'readCapability', {
    summary: "What a profile's model takes, for this tenant, with evidence",
    query: capabilityQuery,
    answers: { 200: json(capabilityAnswer, 'The target and its capability.') },
    async handle(c, { query }) {
      return c.json(await readCapability(deps, c.get('caller'), query));
    },
  });
  addRoute(app, deps, 'saveOverride', {
    summary: "Say what is not known of a profile's model, or tighten its limits; replaces what was said before",
    body: overrideRequestSchema,
    answers: { 200: json(overrideAnswer, 'The override, which holds from now on.') },
    async handle(c, { body }) {
      const row = await putOverride(deps, c.get('caller'), { ...readPlace(c), ...body });
      return c.json({ override: describeOverride(row) });
    },
  });
  addRoute(app, deps, 'deleteOverride', {
    summary: 'Take an override back',
    answers: { 204: { description: 'The catalog holds again.' } },
    async handle(c) {
      await removeOverride(deps, c.get('caller'), readPlace(c));
      return c.body(null, 204);
    },
  });
}
