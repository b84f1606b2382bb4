import { setTimeout as delay } from 'node:timers/promises';
import type { Delivery, Session, SessionEvent } from '@attache/contracts';
import { type Demo, followDelivery, openSession, readResponded } from './demo-calls.ts';

const LOOK_MS = 100;
const LOOK_COUNT = 100;

/** A conversation of two turns; the gateway that has it is killed between them, and another one continues with it. */
export async function showTakeover(demo: Demo): Promise<void> {
  const { steps, place } = demo;
  const { findOwner, killGateway } = place;
  if (!findOwner || !killGateway) return;
  const session = await openSession(demo, [{ name: 'talker', model: 'example-vision' }]);
  await takeTurn(demo, session, 'first');
  const first = await waitForOwner(findOwner, session.id, undefined);
  await steps.run(
    'the gateway that has it is killed',
    () => killGateway(first),
    () => first,
  );
  await takeTurn(demo, session, 'second');
  const second = await waitForOwner(findOwner, session.id, first);
  const { items } = await demo.api.get<{ items: SessionEvent[] }>(`/sessions/${session.id}/events?limit=100`);
  const started = items.filter(({ kind }) => kind === 'agent.started').map(({ data }) => data);
  steps.show('One conversation, two gateways', [
    `${first}, epoch ${started.at(0)?.epoch}`,
    `${second}, epoch ${started.at(-1)?.epoch}, continued by ${started.at(-1)?.continuedBy}`,
  ]);
}

async function takeTurn(demo: Demo, session: Session, which: string): Promise<void> {
  const { api, steps } = demo;
  await steps.run(`the ${which} message is answered`, async () => {
    const { deliveries } = await api.post<{ deliveries: Delivery[] }>(`/sessions/${session.id}/messages`, {
      to: session.agents.map(({ id }) => id),
      text: `This is the ${which} message.`,
    });
    const [queued] = deliveries;
    if (!queued) throw new Error('the message has no delivery');
    await followDelivery(demo, session, queued);
    await readResponded(demo, queued);
  });
}

/** The name of whoever owns it now, other than `former`. */
async function waitForOwner(
  findOwner: NonNullable<Demo['place']['findOwner']>,
  sessionId: string,
  former: string | undefined,
): Promise<string> {
  for (let count = 0; count < LOOK_COUNT; count += 1) {
    const owner = await findOwner(sessionId);
    if (owner !== undefined && owner !== former) return owner;
    await delay(LOOK_MS);
  }
  throw new Error('no gateway owns the session');
}
