import type { Warning } from '@attache/contracts';
import { describePageGaps } from '../../file-type/describe-page-gaps.ts';
import { type FormName, type KindRules, rulesOf } from '../../file-type/kind-rules.ts';
import { blockUnsupportedType } from '../gate-kind.ts';
import { blockDraft } from '../gates.ts';
import { leaveToTools } from '../leave-to-tools.ts';
import type { Block, Draft, OpenDraft, PlanRequestInput, Refusal, Room, Route } from '../plan-types.ts';
import { takeRoom } from '../room/room.ts';
import { planDocumentText } from './plan-document-text.ts';
import { planImage } from './plan-image.ts';
import { planNative } from './plan-native.ts';
import { planIncompletePages, planPages } from './plan-pages.ts';
import { planText } from './plan-text.ts';
import { reserveShare, settleSharing } from './share-rest.ts';

const turns = ['first', 'second', 'third'] as const satisfies KindRules['turn'][];

/** Gives every open draft its form within the message's room, or says why it has none. Each turn goes in the order of the message. */
export function planForms(drafts: readonly Draft[], wholeRoom: Room, input: PlanRequestInput): Draft[] {
  const planned = [...drafts];
  let room = wholeRoom;
  for (const turn of turns) {
    for (const [index, draft] of planned.entries()) {
      if (draft.state !== 'open') continue;
      const rules = rulesOf(draft.attachment);
      if (rules.turn !== turn) continue;
      const next = takeRoute(draft, rules, room, input);
      planned[index] = next;
      if (next.state === 'planned') room = takeRoom(room, next.cost);
      if (next.state === 'sharing') room = reserveShare(room, next, input);
    }
  }
  return settleSharing(planned, room, input);
}

const routeTo: Record<FormName, Route> = {
  image: planImage,
  document: planNative('document'),
  pages: planPages,
  'incomplete-pages': planIncompletePages,
  'document-text': planDocumentText,
  text: planText,
  audio: planNative('audio'),
  video: planNative('video'),
};

function routesOf({ forms }: KindRules): readonly Route[] {
  return forms.length === 0 ? [refuseType] : forms.map((form) => routeTo[form]);
}

const refuseType: Route = (draft, _, input) => ({
  block: blockUnsupportedType(draft.attachment, input),
  at: { ...draft, checks: { ...draft.checks, transport: 'no', model: 'no' } },
});

/** Takes the first way that is open, the agent's tools last. If none is, it blocks with the most useful refusal. */
function takeRoute(draft: OpenDraft, rules: KindRules, room: Room, input: PlanRequestInput): Draft {
  const refusals: Refusal[] = [];
  for (const route of routesOf(rules)) {
    const outcome = route(draft, room, input);
    if ('draft' in outcome) return explainDetour(outcome.draft, refusals);
    refusals.push(outcome);
  }
  const byTool = leaveToTools(draft, refusals.map(blocksOf), room, input);
  if (byTool && 'draft' in byTool) return explainDetour(byTool.draft, refusals);
  if (byTool) refusals.push(byTool);
  const last = rules.lastForm && refusals.some(isUnreadable) ? routeTo[rules.lastForm](draft, room, input) : undefined;
  if (last && 'draft' in last) return last.draft;
  const [best] = refusals.toSorted((a, b) => weighAll(a) - weighAll(b));
  if (best === undefined) throw new Error('an attachment has no way at all, not even a refused one');
  return blockDraft(best.at, blocksOf(best));
}

const isUnreadable = (refusal: Refusal): boolean =>
  blocksOf(refusal).some(({ code }) => code === 'attachment_page_unreadable');

const isText = (draft: Draft): boolean => draft.state === 'planned' && draft.becomes === 'text';

/** Says why a file does not go in the form that would be preferred. */
function explainDetour<D extends Draft>(draft: D, refusals: readonly Refusal[]): D {
  const { attachment, warnings } = draft;
  const detour = rulesOf(attachment).explainsChoice ? warnOfDetour(refusals) : [];
  const gaps = attachment.facts.pageGaps ?? [];
  // The text of a document has no page that is broken either.
  const told = refusals.some(isUnreadable) ? gaps : gaps.filter(({ lacks }) => lacks === 'page' && isText(draft));
  return { ...draft, warnings: [...warnings, ...detour, ...describePageGaps(told)] };
}

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

const blocksOf = ({ block, also = [] }: Refusal): Block[] => [block, ...also];

/** A way is as closed as the gate of it that is hardest to open. */
const weighAll = (refusal: Refusal): number => Math.max(...blocksOf(refusal).map(weigh));

/** The weight of a refusal: one that the person can change comes first. */
function weigh({ code, gate }: Block): number {
  if (code === 'attachment_conversion_denied') return 0;
  if (gate === 'budget') return 1;
  if (code === 'attachment_model_vision_unknown' || code === 'attachment_model_unknown') return 2;
  return gate === 'prepare' ? 3 : 4;
}
