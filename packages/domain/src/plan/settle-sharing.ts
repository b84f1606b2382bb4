import { type ImageNeed, measureImageNeed } from './form/measure-image-need.ts';
import { settleImage } from './form/plan-image.ts';
import { neededPageBytes, settlePages } from './form/plan-pages.ts';
import { leaveToTools } from './leave-to-tools.ts';
import type { Draft, PlanRequestInput, SharingDraft } from './plan-types.ts';
import { type Room, roomFor } from './room/room.ts';
import { type Demand, shareLine } from './room/share-line.ts';
import { base64Bytes } from './room/transport-size.ts';

type Sharer = { draft: SharingDraft; need: ImageNeed | undefined; demands: Demand[] };

/** Gives images and pages their shares of what is left, and with it their forms. */
export function settleSharing(drafts: readonly Draft[], room: Room, input: PlanRequestInput): Draft[] {
  const { image } = input.capability;
  const sharers = drafts.flatMap((draft) => (draft.state === 'sharing' ? [toSharer(draft, input)] : []));
  const grants = shareLine(
    roomFor(room, image.carriage),
    sharers.flatMap(({ demands }) => demands),
  );
  const settled = new Map<Draft, Draft>();
  let position = 0;
  for (const sharer of sharers) {
    const own = grants.slice(position, position + sharer.demands.length);
    position += sharer.demands.length;
    settled.set(sharer.draft, settle(sharer, Math.min(...own), room, input));
  }
  return drafts.map((draft) => settled.get(draft) ?? draft);
}

function toSharer(draft: SharingDraft, { capability: { image } }: PlanRequestInput): Sharer {
  if (draft.as === 'pages') {
    const bytes = neededPageBytes(image);
    return {
      draft,
      need: undefined,
      demands: new Array(draft.attachment.facts.pages ?? 0).fill({ bytes, isWhole: false }),
    };
  }
  const need = measureImageNeed(draft.attachment, image);
  const isWhole = need.nativeBytes !== undefined;
  return { draft, need, demands: [{ bytes: base64Bytes(need.nativeBytes ?? need.neededBytes), isWhole }] };
}

function settle({ draft, need }: Sharer, grantBytes: number, room: Room, input: PlanRequestInput): Draft {
  if (need === undefined) return settlePages(draft, grantBytes, input);
  const settled = settleImage(draft, need, grantBytes, input);
  if (settled.state !== 'blocked') return settled;
  const { blocks, ...at } = settled;
  const byTool = leaveToTools({ ...at, state: 'open' }, [blocks], room, input);
  return byTool && 'draft' in byTool ? byTool.draft : settled;
}
