import { type Delivery, type DeliveryPlan, Fault, type Session } from '@attache/contracts';
import { exitCodes } from '../../exit-codes.ts';
import { type Demo, followDelivery, openSession, readResponded, type Seat, upload } from '../demo-calls.ts';
import { compareReceipt } from '../tell/compare-receipt.ts';
import { formatPlan, formatReceipt } from '../tell/format-delivery.ts';
import type { DemoFile } from './take-file.ts';

/** One takes images and no PDF, the other nothing but text. */
const viewer: Seat = { name: 'viewer', model: 'example-vision' };
const reader: Seat = { name: 'reader', model: 'example-text' };

type DocumentOptions = { isTextOnly: boolean };

/** A PDF goes to agents in the forms that they can take, as was said before; answers the exit code. */
export async function showDocument(demo: Demo, document: DemoFile, { isTextOnly }: DocumentOptions): Promise<number> {
  const { api, steps } = demo;
  const session = await openSession(demo, isTextOnly ? [reader] : [viewer, reader]);
  const attachment = await upload(demo, session, document);
  const message = { text: 'What do you read?', attachmentIds: [attachment.id] };
  const to = session.agents.map(({ id }) => id);
  const { plans } = await steps.run('plan asked for, nothing sent', () =>
    api.post<{ plans: DeliveryPlan[] }>(`/sessions/${session.id}/plan`, { ...message, to }),
  );
  for (const plan of plans) steps.show(`Planned for ${nameModel(session, plan)}`, formatPlan(plan));
  const open = plans.filter(({ decision }) => decision === 'deliver');
  if (open.length > 0) await deliver(demo, session, open, message);
  return open.length === plans.length ? exitCodes.done : exitCodes.blocked;
}

async function deliver(demo: Demo, session: Session, plans: readonly DeliveryPlan[], message: object): Promise<void> {
  const { api, steps } = demo;
  const to = plans.map(({ agentId }) => agentId);
  const { deliveries } = await steps.run('message accepted, plans frozen', () =>
    api.post<{ deliveries: Delivery[] }>(`/sessions/${session.id}/messages`, { ...message, to }),
  );
  for (const plan of plans) {
    const queued = deliveries.find(({ agentId }) => agentId === plan.agentId);
    if (queued === undefined) throw new Error('the message has no delivery for an agent');
    await showDelivery(demo, session, plan, queued);
  }
}

/** Holds what was sent against what had been said before. */
async function showDelivery(demo: Demo, session: Session, plan: DeliveryPlan, queued: Delivery): Promise<void> {
  const { steps } = demo;
  const model = nameModel(session, plan);
  const { answer } = await steps.run(`delivered; ${model} answered`, () => followDelivery(demo, session, queued));
  const { receipt } = await readResponded(demo, queued);
  if (receipt) steps.show(`Receipt of ${model}`, formatReceipt(receipt));
  const faults = plan.items.flatMap((item) => compareReceipt(item, receipt, answer));
  if (faults.length > 0)
    throw new Fault(
      'INTERNAL',
      `${model} did not get what the plan said: ${faults.join('; ')}. This is a bug: report it.`,
    );
  steps.show('As planned', ['the receipt has the form of the plan, and the agent names each digest of it']);
}

function nameModel(session: Session, { agentId }: DeliveryPlan): string {
  return session.agents.find(({ id }) => id === agentId)?.target.model ?? agentId;
}
