import { leaveToTools } from '../leave-to-tools.ts';
import { type Draft, noCost, type PlanRequestInput, type Room, type SharingDraft } from '../plan-types.ts';
import { roomFor, takeRoom } from '../room/room.ts';
import { COMFORTABLE_BYTES, type Demand, LEAST_BYTES, shareLine } from '../room/share-line.ts';
import { base64Bytes } from '../room/transport-size.ts';
import { type ImageNeed, measureImageNeed } from './measure-image-need.ts';
import { settleImage } from './plan-image.ts';
import { leastPageBytes, neededPageBytes, settlePages } from './plan-pages.ts';

/** Keeps what shares the rest its places among the images, and a least share of the bytes. */
export function reserveShare(room: Room, draft: SharingDraft, input: PlanRequestInput): Room {
  if (draft.as === 'pages') {
    const pages = draft.attachment.facts.pages ?? 0;
    const bytes = leastPageBytes(pages);
    const left = takeRoom(room, { ...noCost, images: pages });
    return { ...left, reservedBytes: room.reservedBytes + bytes, comfortBytes: room.comfortBytes + bytes };
  }
  const demand = demandOf(measureImageNeed(draft.attachment, input.capability.image));
  return {
    ...takeRoom(room, { ...noCost, images: 1 }),
    reservedBytes: room.reservedBytes + Math.min(demand, base64Bytes(LEAST_BYTES)),
    comfortBytes: room.comfortBytes + Math.min(demand, base64Bytes(COMFORTABLE_BYTES)),
  };
}

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
  return { draft, need, demands: [{ bytes: demandOf(need), isWhole }] };
}

const demandOf = ({ nativeBytes, neededBytes }: ImageNeed): number => base64Bytes(nativeBytes ?? neededBytes);

function settle({ draft, need }: Sharer, grantBytes: number, room: Room, input: PlanRequestInput): Draft {
  if (need === undefined) return settlePages(draft, grantBytes, input);
  const settled = settleImage(draft, need, grantBytes, input);
  if (settled.state !== 'blocked') return settled;
  const { blocks, ...at } = settled;
  const byTool = leaveToTools({ ...at, state: 'open' }, [blocks], room, input);
  return byTool && 'draft' in byTool ? byTool.draft : settled;
}
