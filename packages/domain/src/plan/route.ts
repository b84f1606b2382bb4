import type { Warning } from '@attache/contracts';
import { leaveToTools } from './leave-to-tools.ts';
import type { Block, Draft, OpenDraft, PlanRequestInput, RouteOutcome } from './plan-types.ts';
import type { Room } from './room.ts';

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
  const refusals: { block: Block; at: OpenDraft }[] = [];
  for (const route of routes) {
    const outcome = route(draft, room, input);
    if ('draft' in outcome) {
      const detour = draft.attachment.kind === 'document' ? warnOfDetour(refusals) : [];
      return { ...outcome.draft, warnings: [...outcome.draft.warnings, ...detour] };
    }
    refusals.push(outcome);
  }
  const blocks = refusals.map(({ block }) => block);
  const byTool = leaveToTools(draft, blocks, room, input);
  if (byTool && 'draft' in byTool) {
    const detour = draft.attachment.kind === 'document' ? warnOfDetour(refusals) : [];
    return { ...byTool.draft, warnings: [...byTool.draft.warnings, ...detour] };
  }
  if (byTool) refusals.push(byTool);
  const [best] = refusals.toSorted((a, b) => weigh(a.block) - weigh(b.block));
  if (best === undefined) throw new Error('an attachment has no way at all, not even a refused one');
  const { at, block } = best;
  const isUnknown = block.gate !== 'budget' && at.checks[block.gate] === 'unknown' && block.gate !== 'prepare';
  return { ...at, state: 'blocked', block, checks: { ...at.checks, [block.gate]: isUnknown ? 'unknown' : 'no' } };
}

/** Why a document does not go in the way that would be preferred. */
function warnOfDetour(refusals: readonly { block: Block }[]): Warning[] {
  return refusals.flatMap(({ block: { code, userMessage } }): Warning[] => {
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
