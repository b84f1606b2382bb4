import type { Warning } from '@attache/contracts';
import { rulesOf } from '../../file-type/kind-rules.ts';
import { leaveToTools } from '../leave-to-tools.ts';
import {
  type Block,
  blockDraft,
  type Draft,
  type OpenDraft,
  orderBlocks,
  type PlanRequestInput,
  type Refusal,
  type RouteOutcome,
} from '../plan-types.ts';
import type { Room } from '../room/room.ts';

/** Asks every gate, and returns all that block, in their order (DL-63). Undefined where none does. */
export function refuse(at: OpenDraft, blocks: readonly (Block | undefined)[]): Refusal | undefined {
  const [block, ...also] = orderBlocks(blocks);
  const isWithin = !blocks.some((each) => each?.gate === 'budget');
  const checks = isWithin ? { ...at.checks, budget: 'yes' as const } : at.checks;
  return block && { block, also, at: { ...at, checks } };
}

/** One way to deliver an attachment, tried in the order of preference (BX-19). */
export type Route = (draft: OpenDraft, room: Room, input: PlanRequestInput) => RouteOutcome;

/** How much a refusal tells a person: what they can change comes first. */
function weigh({ code, gate }: Block): number {
  if (code === 'attachment_conversion_denied') return 0;
  if (gate === 'budget') return 1;
  if (code === 'attachment_model_vision_unknown' || code === 'attachment_model_unknown') return 2;
  return gate === 'prepare' ? 3 : 4;
}

/** The first way that is open, the agent's tools last. Where none is, the refusal that tells most. */
export function takeRoute(draft: OpenDraft, routes: readonly Route[], room: Room, input: PlanRequestInput): Draft {
  const { explainsChoice } = rulesOf(draft.attachment);
  const refusals: Refusal[] = [];
  for (const route of routes) {
    const outcome = route(draft, room, input);
    if ('draft' in outcome) {
      const detour = explainsChoice ? warnOfDetour(refusals) : [];
      return { ...outcome.draft, warnings: [...outcome.draft.warnings, ...detour] };
    }
    refusals.push(outcome);
  }
  const byTool = leaveToTools(draft, refusals.map(blocksOf), room, input);
  if (byTool && 'draft' in byTool) {
    const detour = explainsChoice ? warnOfDetour(refusals) : [];
    return { ...byTool.draft, warnings: [...byTool.draft.warnings, ...detour] };
  }
  if (byTool) refusals.push(byTool);
  const [best] = refusals.toSorted((a, b) => weighAll(a) - weighAll(b));
  if (best === undefined) throw new Error('an attachment has no way at all, not even a refused one');
  return blockDraft(best.at, blocksOf(best));
}

const blocksOf = ({ block, also = [] }: Refusal): Block[] => [block, ...also];

/** A way is as closed as the gate of it that is hardest to open. */
const weighAll = (refusal: Refusal): number => Math.max(...blocksOf(refusal).map(weigh));

/** Why a file does not go in the form that would be preferred. */
function warnOfDetour(refusals: readonly Refusal[]): Warning[] {
  return refusals.flatMap(blocksOf).flatMap(({ code, userMessage }): Warning[] => {
    switch (code) {
      case 'attachment_model_vision_unsupported':
        return [{ code: 'model_does_not_support_images', severity: 'info', message: userMessage }];
      case 'attachment_model_unsupported':
        return [{ code: 'model_does_not_support_documents', severity: 'info', message: userMessage }];
      case 'attachment_too_large_original':
      case 'attachment_serialized_payload_too_large':
        return [{ code: 'attachment_too_large', severity: 'info', message: userMessage }];
      default:
        return [];
    }
  });
}
