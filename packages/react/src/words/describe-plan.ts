import type { DeliveryPlan, Failure, PlanForm } from '@attache/contracts';
import type { Words } from './words.ts';

/** One sentence about what an agent gets of one file. */
export type PlanNote = {
  key: string;
  becomes: PlanForm;
  /** Such as "painter gets page images of report.pdf". */
  text: string;
  /** Why it is blocked and what to do; absent where nothing is. */
  reason?: string;
};

type Names = {
  nameOfAgent(agentId: string): string;
  nameOfFile(attachmentId: string): string;
};

/** Puts plans into words, in the order of the plans. A failure that names no file gets a note of its own. */
export function describePlans(plans: readonly DeliveryPlan[], words: Words, names: Names): PlanNote[] {
  return plans.flatMap((plan) => {
    const agent = names.nameOfAgent(plan.agentId);
    const notes = plan.items.map(({ attachmentId, becomes }): PlanNote => {
      const text = words.say(words.strings.forms[becomes], { agent, name: names.nameOfFile(attachmentId) });
      const failure = plan.failures.find((each) => each.attachmentId === attachmentId);
      const reason = becomes === 'blocked' && failure ? { reason: describeReason(failure, words) } : {};
      return { key: `${plan.agentId} ${attachmentId}`, becomes, text, ...reason };
    });
    return [...notes, ...describeRest(plan, agent, words)];
  });
}

function describeRest({ agentId, items, failures }: DeliveryPlan, agent: string, words: Words): PlanNote[] {
  const told = new Set(items.filter(({ becomes }) => becomes === 'blocked').map(({ attachmentId }) => attachmentId));
  return failures
    .filter(({ attachmentId }) => attachmentId === undefined || !told.has(attachmentId))
    .map((failure, index) => ({
      key: `${agentId} ${index}`,
      becomes: 'blocked',
      text: words.list([agent]),
      reason: describeReason(failure, words),
    }));
}

/** The reason in the language of the catalogue, or else in the server's own words. */
export function describeReason({ code, userMessage }: Pick<Failure, 'code' | 'userMessage'>, words: Words): string {
  return words.strings.reasons[code] ?? userMessage;
}
