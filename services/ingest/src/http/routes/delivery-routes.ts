import { deliverySchema, type RouteName } from '@attache/contracts';
import { describePresent, findDelivery } from '@attache/database';
import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { retryDelivery } from '../../delivery/retry-delivery.ts';
import { cancelDelivery } from '../../message/cancel-delivery.ts';
import { deliveryNotFound } from '../../not-found.ts';
import { addRoute, json } from '../add-route.ts';
import { answerOnce } from '../answer-once.ts';
import type { HttpApp, HttpDeps, HttpEnv } from '../context.ts';
import { admitToThing, parseId } from '../gate.ts';

const deliveryAnswer = z.object({ delivery: deliverySchema.describe('The delivery.') });

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
        return row && describePresent(tx, row);
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
      const request = { route: 'retryDelivery', status: 202, body: { deliveryId } } as const;
      return answerOnce(deps, c, request, async (keep) => ({
        delivery: await retryDelivery(deps, c.get('caller'), deliveryId, keep),
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
