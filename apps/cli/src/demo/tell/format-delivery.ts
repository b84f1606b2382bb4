import type { Delivery, DeliveryPlan, Failure, ProjectionPlan, Receipt, ReceiptItem } from '@attache/contracts';

export function formatReceipt(receipt: Receipt): string[] {
  const items = receipt.items.map((item) => {
    const { attachmentId, form, sizeBytes, verdict, sha256 } = item;
    const sent = sha256 === undefined ? 'nothing of it was sent' : `sha256 ${sha256}`;
    return [`${attachmentId}  ${form}  ${sizeBytes} bytes  ${verdict}`, sent, ...formatProof(item)].join('\n    ');
  });
  return [`transport ${receipt.transport}, proof ${receipt.proof}`, ...items];
}

function formatProof({ proof, wire }: ReceiptItem): string[] {
  if (proof === undefined) return [];
  if (wire === undefined) return [`proof: ${proof}`];
  const left = wire.altered ? `altered, sha256 ${wire.sha256}, ${wire.sizeBytes} bytes` : 'the same bytes';
  return [`proof: ${proof}; ${left} left for the provider`];
}

/** The timeline of a delivery: when each step was reached, and how long after the one before. */
export function formatDelivery(delivery: Delivery): string[] {
  return delivery.timeline.map((step, index) => {
    const before = delivery.timeline[index - 1];
    const tookMs = before ? Date.parse(step.at) - Date.parse(before.at) : 0;
    const who = step.actor.type === 'service' ? step.actor.id : step.actor.type;
    return `${step.at}  ${`+${tookMs} ms`.padStart(9)}  ${step.status.padEnd(10)} ${who}${step.epoch === undefined ? '' : `, epoch ${step.epoch}`}`;
  });
}

export function formatFailures(failures: readonly Failure[], plans: readonly ProjectionPlan[]): string[] {
  const checks = plans.flatMap((plan) =>
    plan.items.map((item) => {
      const gates = Object.entries(item.checks).map(([gate, answer]) => `${gate} ${answer}`);
      return `${item.attachmentId} becomes ${item.becomes}: ${gates.join(', ')}`;
    }),
  );
  return [...failures.map((failure) => `${failure.code}: ${failure.userMessage}`), ...checks];
}

/** The form that each attachment is to take, and why; if the plan blocks, the reasons for that. */
export function formatPlan(plan: DeliveryPlan): string[] {
  const sentences = plan.items.map(({ becomes, reason = '' }) => `${becomes}: ${reason}`);
  return plan.decision === 'deliver' ? sentences : formatFailures(plan.failures, [plan]);
}
