import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Delivery, type DeliveryPlan, Fault, type Session } from '@attache/contracts';
import { exitCodes } from '../exit-codes.ts';
import type { DemoAgent } from './choose-agent.ts';
import { type Demo, followDelivery, openSession, upload } from './demo-calls.ts';
import type { DemoFile } from './draw/take-file.ts';
import { exitCodeOf, isOfSignIn } from './tell/explain-failure.ts';
import { formatDelivery, formatFailures, formatPlan, formatReceipt } from './tell/format-delivery.ts';
import { suggestProfile } from './tell/suggest-profile.ts';

const TURN_MS = 15 * 60_000;
const PROBE_MS = 30_000;
const PROBE_PAUSE_MS = 500;

/** A file goes to a real agent, whose model answers what it pleases; answers the exit code. */
export async function showAgent(demo: Demo, file: DemoFile, agent: DemoAgent): Promise<number> {
  const { api, steps } = demo;
  const session = await openSession(demo, [{ name: 'agent', profile: agent.profile, model: agent.model }]);
  const attachment = await upload(demo, session, file);
  const message = {
    to: session.agents.map(({ id }) => id),
    text: `What do you see in ${file.name}? Answer in two sentences.`,
    attachmentIds: [attachment.id],
  };
  const plan = await steps.run('plan asked for, nothing sent', () => askPlan(demo, session, message));
  steps.show(`Planned for ${agent.profile}, ${session.agents[0]?.target.model}`, formatPlan(plan));
  if (plan.decision !== 'deliver') {
    const ways = 'Name another model with --model, or say in the `capability` of a profile what its model takes.';
    steps.show('Refused before anything was sent', [...formatFailures(plan.failures, []), ways]);
    return exitCodes.blocked;
  }
  const { deliveries } = await steps.run('message accepted, plan frozen', () =>
    api.post<{ deliveries: [Delivery] }>(`/sessions/${session.id}/messages`, message),
  );
  process.stderr.write('The agent has its turn; it takes what it takes.\n');
  const { answer, outputIds } = await steps.run('the turn ended', () =>
    followDelivery(demo, session, deliveries[0], TURN_MS),
  );
  if (answer !== '') steps.show('The agent says', answer.trim().split('\n'));
  if (outputIds.length > 0) steps.show('It gave back', outputIds);
  const { delivery } = await api.get<{ delivery: Delivery }>(`/deliveries/${deliveries[0].id}`);
  steps.show('Timeline', formatDelivery(delivery));
  if (delivery.status !== 'responded') return showFailure(demo, delivery, suggestProfile(agent));
  return showReceipt(demo, delivery, file);
}

/** What an agent carries is asked of it when its stack starts, which takes it a moment. */
async function askPlan({ api }: Demo, session: Session, message: object): Promise<DeliveryPlan> {
  const deadline = performance.now() + PROBE_MS;
  for (;;) {
    const { plans } = await api.post<{ plans: [DeliveryPlan] }>(`/sessions/${session.id}/plan`, message);
    const [plan] = plans;
    const isUnasked = plan.decision === 'blocked' && plan.items.some(({ checks }) => checks.transport === 'unknown');
    if (!isUnasked || performance.now() > deadline) return plan;
    await delay(PROBE_PAUSE_MS);
  }
}

function showFailure({ steps }: Demo, { status, failure }: Delivery, suggestion: readonly string[]): number {
  const { code = status, userMessage = '', diagnostic = '' } = failure ?? {};
  steps.show('The delivery failed', [`${code}: ${userMessage}`, ...diagnostic.split('\n')]);
  if (failure !== undefined && isOfSignIn(failure)) steps.show('If it lacks a key', suggestion);
  return exitCodeOf(failure);
}

/** Holds what was sent against the file and the plan. */
function showReceipt({ steps }: Demo, { receipt, plan }: Delivery, file: DemoFile): number {
  if (receipt === undefined) throw new Fault('INTERNAL', 'The delivery has no receipt. This is a bug: report it.');
  steps.show('Receipt', formatReceipt(receipt));
  const [planned] = plan.items;
  const original = createHash('sha256').update(file.bytes).digest('hex');
  const isAsItIs = planned?.becomes === 'native' && planned.recipe === undefined;
  const faults = receipt.items.flatMap(({ form, sha256 }) => [
    ...(form === planned?.becomes ? [] : [`planned as ${planned?.becomes}, sent as ${form}`]),
    ...(isAsItIs && sha256 !== original ? ['not the bytes that were uploaded'] : []),
  ]);
  if (faults.length === 0 && receipt.items.length > 0) return exitCodes.done;
  throw new Fault('INTERNAL', `What was sent is not what was planned: ${faults.join('; ')}. This is a bug: report it.`);
}
