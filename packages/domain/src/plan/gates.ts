import type { PlanChecks } from '@attache/contracts';
import type { Block, BlockedDraft, Draft, OpenDraft, Refusal } from './plan-types.ts';

/** The gates in the order in which they are reported (DL-63). */
const gates = ['decode', 'budget', 'transport', 'model', 'prepare'] as const satisfies (keyof PlanChecks)[];

/** Asks every gate, and returns all that block, in their order (DL-63). Undefined if none does. */
export function refuse(at: OpenDraft, blocks: readonly (Block | undefined)[]): Refusal | undefined {
  const [block, ...also] = orderBlocks(blocks);
  const isWithin = !blocks.some((each) => each?.gate === 'budget');
  const checks = isWithin ? { ...at.checks, budget: 'yes' as const } : at.checks;
  return block && { block, also, at: { ...at, checks } };
}

/** The blocks of one way in the order of the gates; what does not block is left out. */
export function orderBlocks(blocks: readonly (Block | undefined)[]): Block[] {
  return gates.flatMap((gate) => blocks.filter((block) => block?.gate === gate) as Block[]);
}

/** Blocks the draft at its gates. Abilities that a target has not declared stay unknown. */
export function blockDraft(
  { attachment, checks, warnings }: Draft,
  blocks: readonly Block[],
  check?: 'unknown',
): BlockedDraft {
  const answers = { ...checks };
  for (const { gate } of blocks) {
    const isUnknown = (gate === 'transport' || gate === 'model') && checks[gate] === 'unknown';
    answers[gate] = check ?? (isUnknown ? 'unknown' : 'no');
  }
  return { attachment, warnings, state: 'blocked', blocks, checks: answers };
}
