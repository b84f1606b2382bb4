import type { Capability, TriState, Warning } from '@attache/contracts';
import { type KindRules, rulesOf } from '../file-type/kind-rules.ts';
import { blockFileRoom } from './form/block-form.ts';
import { chooseImageForm } from './form/choose-image-form.ts';
import {
  type Block,
  noCost,
  type OpenDraft,
  type PlannableAttachment,
  type PlanRequestInput,
  type Room,
  type RouteOutcome,
} from './plan-types.ts';
import { roomFor } from './room/room.ts';

type Way = { model: TriState; reason: string };

/**
 * Sends the marker alone of an attachment that can be sent in no form, if the agent can read it by a tool (BX-19). Undefined if the agent cannot, or if only a
 * conversion that the session forbids is in the way: a tool would show the file converted. `refused` holds the blocks of each way that is closed.
 */
export function leaveToTools(
  draft: OpenDraft,
  refused: readonly (readonly Block[])[],
  room: Room,
  { capability }: PlanRequestInput,
): RouteOutcome | undefined {
  const way = findWay(draft.attachment, capability);
  if (way === undefined || refused.some(isOnlyDenied)) return undefined;
  const availableBytes = roomFor(room, 'inline');
  if (availableBytes < 0) return { block: blockFileRoom(0, availableBytes), at: draft };
  return {
    draft: {
      ...draft,
      checks: { ...draft.checks, budget: 'yes', transport: 'yes', model: way.model, prepare: 'yes' },
      warnings: draft.warnings.map(easeWarning),
      state: 'planned',
      becomes: 'tool',
      reason: way.reason,
      cost: noCost,
    },
  };
}

const isOnlyDenied = (blocks: readonly Block[]): boolean =>
  blocks.every(({ code }) => code === 'attachment_conversion_denied');

function findWay(attachment: PlannableAttachment, capability: Capability): Way | undefined {
  if (capability.tools !== 'yes') return undefined;
  const isFile = capability.files?.read === 'yes';
  if (isShowable(attachment, capability)) {
    const reason = `No form of it can be sent; the agent can look at it${isFile ? ', or get it as a file,' : ''} with its attachment tools.`;
    return { model: 'yes', reason };
  }
  const { kind } = attachment;
  // A program that reads a picture shows it to its model: to one that is not known to take any, nothing may do that (DL-66).
  if (!isFile || (kind === 'image' && capability.image.model !== 'yes')) return undefined;
  return {
    model: kind === 'unsupported' ? 'unknown' : capability[kind].model,
    reason: 'It is not sent; the agent gets a copy of the file by attachment_file and works on it with its own tools.',
  };
}

/** Whether `resource_view` shows it: a picture that the target takes, or text. */
function isShowable(attachment: PlannableAttachment, capability: Capability): boolean {
  return rulesOf(attachment).views.some((view) => shows[view](attachment, capability));
}

type Shows = (attachment: PlannableAttachment, capability: Capability) => boolean;

const shows: Record<KindRules['views'][number], Shows> = {
  image: (attachment, { image }) => image.model === 'yes' && chooseImageForm(attachment, image).form !== 'none',
  pages: (_, { image }) => image.model === 'yes',
  text: (_, { text }) => text.model === 'yes',
};

// A reason that would have blocked the attachment no longer does.
function easeWarning(warning: Warning): Warning {
  return warning.severity === 'error' ? { ...warning, severity: 'warning' } : warning;
}
