import {
  deliveryPlanSchema,
  deliverySchema,
  messageSchema,
  planRequestSchema,
  type RouteName,
  sendMessageRequestSchema,
  uuidFromId,
} from '@attache/contracts';
import { describeDelivery, findDelivery } from '@attache/database';
import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { cancelDelivery } from '../../cancel-delivery.ts';
import { planMessage } from '../../plan-message.ts';
import { deliveryNotFound, retryDelivery } from '../../retry-delivery.ts';
import { sendMessage } from '../../send-message.ts';
import { addRoute, json } from '../add-route.ts';
import { answerOnce } from '../answer-once.ts';
import type { HttpApp, HttpDeps, HttpEnv } from '../context.ts';
import { admitToThing, parseId } from '../gate.ts';

const plansAnswer = z.object({ plans: z.array(deliveryPlanSchema) });
const sentAnswer = z.object({ message: messageSchema, deliveries: z.array(deliverySchema) });
const deliveryAnswer = z.object({ delivery: deliverySchema });

const toUuids = (ids: readonly Parameters<typeof uuidFromId>[0][]): string[] => ids.map(uuidFromId);

export function addMessageRoutes(app: HttpApp, deps: HttpDeps): void {
  addRoute(app, deps, 'planMessage', {
    summary: 'What each named agent would get of a message, and why: a dry run',
    body: planRequestSchema,
    answers: { 200: json(plansAnswer, 'One plan for each agent.') },
    async handle(c, { body }) {
      const draft = { to: toUuids(body.to), text: body.text ?? '', attachmentIds: toUuids(body.attachmentIds) };
      const { plans } = await planMessage(deps, c.get('caller'), c.get('sessionId'), draft);
      return c.json({ plans });
    },
  });
  addRoute(app, deps, 'sendMessage', {
    isRepeatable: true,
    summary: 'Send a message to agents; any blocker refuses it whole',
    body: sendMessageRequestSchema,
    answers: { 202: json(sentAnswer, 'Accepted, one delivery for each agent.') },
    handle: (c, { body }) =>
      answerOnce(deps, c, { route: 'sendMessage', body }, async (keep) => {
        const draft = { to: toUuids(body.to), text: body.text, attachmentIds: toUuids(body.attachmentIds) };
        return { status: 202, body: await sendMessage(deps, c.get('caller'), c.get('sessionId'), draft, keep) };
      }),
  });
}

type DeliveryRoute = Extract<RouteName, 'readDelivery' | 'retryDelivery' | 'cancelDelivery'>;

/** The delivery of the path, for a caller who may see it and has the route's right. */
async function admitToDelivery(deps: HttpDeps, c: Context<HttpEnv>, name: DeliveryRoute): Promise<string> {
  const caller = c.get('caller');
  const deliveryId = parseId('delivery', c.req.param('deliveryId'), deliveryNotFound);
  const row = await deps.db.readAsTenant(caller.tenantId, (tx) => findDelivery(tx, deliveryId));
  if (!row) throw deliveryNotFound();
  admitToThing(name, caller, row.sessionId, deliveryNotFound);
  return deliveryId;
}

export function addDeliveryRoutes(app: HttpApp, deps: HttpDeps): void {
  addRoute(app, deps, 'readDelivery', {
    summary: 'Read a delivery with its plan, receipt and timeline',
    answers: { 200: json(deliveryAnswer, 'The delivery.') },
    async handle(c) {
      const deliveryId = await admitToDelivery(deps, c, 'readDelivery');
      const delivery = await deps.db.asTenant(c.get('caller').tenantId, async (tx) => {
        const row = await findDelivery(tx, deliveryId);
        return row && describeDelivery(tx, row);
      });
      if (!delivery) throw deliveryNotFound();
      return c.json({ delivery });
    },
  });
  addRoute(app, deps, 'retryDelivery', {
    isRepeatable: true,
    summary: 'Try a failed delivery again, where that can mend it',
    answers: { 202: json(deliveryAnswer, 'Queued again.') },
    async handle(c) {
      const deliveryId = await admitToDelivery(deps, c, 'retryDelivery');
      return answerOnce(deps, c, { route: 'retryDelivery', body: { deliveryId } }, async (keep) => ({
        status: 202,
        body: { delivery: await retryDelivery(deps, c.get('caller'), deliveryId, keep) },
      }));
    },
  });
  addRoute(app, deps, 'cancelDelivery', {
    summary: 'Cancel a delivery; after it was written, interrupt its turn',
    answers: { 202: json(deliveryAnswer, 'Cancelled, or being interrupted.') },
    async handle(c) {
      const deliveryId = await admitToDelivery(deps, c, 'cancelDelivery');
      return c.json({ delivery: await cancelDelivery(deps, c.get('caller'), deliveryId) }, 202);
    },
  });
}
