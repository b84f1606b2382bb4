import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type Delivery,
  type DeliveryPlan,
  type Failure,
  type FailureCode,
  Fault,
  type Session,
} from '@attache/contracts';
import { exitCodes } from '../exit-codes.ts';
import type { DemoAgent } from './choose-agent.ts';
import { type Demo, followDelivery, openSession, upload } from './demo-calls.ts';
import type { DemoFile } from './draw/take-file.ts';
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

/** The stack asks an agent for its abilities when it starts, which takes a moment: a plan that does not know them yet is asked for again. */
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

/** Failures of the agent's program, its sign-in or its provider, and not of the files that were sent. */
const ofDependencies: ReadonlySet<FailureCode> = new Set<FailureCode>([
  'delivery_agent_start_failed',
  'delivery_agent_auth_required',
  'delivery_runtime_transport_failed',
  'attachment_provider_auth_required',
  'attachment_provider_quota_exceeded',
  'attachment_provider_rate_limited',
]);

/** Failures that a missing key may cause: some programs end at their start without one. */
const ofSignIn: ReadonlySet<FailureCode> = new Set<FailureCode>([
  'delivery_agent_start_failed',
  'delivery_agent_auth_required',
  'attachment_provider_auth_required',
]);

const isOfSignIn = ({ code }: Failure): boolean => ofSignIn.has(code);

/** The exit code of a delivery that failed. */
function exitCodeOf(failure: Failure | undefined): number {
  return failure !== undefined && ofDependencies.has(failure.code) ? exitCodes.dependencyDown : exitCodes.failed;
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
