import { type FormName, type KindRules, rulesOf } from '../../file-type/kind-rules.ts';
import { blockType } from '../block-capability.ts';
import { type Draft, noCost, type PlanRequestInput } from '../plan-types.ts';
import { type Room, takeRoom } from '../room/room.ts';
import { COMFORTABLE_BYTES, LEAST_BYTES } from '../room/share-line.ts';
import { base64Bytes } from '../room/transport-size.ts';
import { settleSharing } from '../settle-sharing.ts';
import { measureImageNeed } from './measure-image-need.ts';
import { planDocumentText } from './plan-document-text.ts';
import { planImage } from './plan-image.ts';
import { planNative } from './plan-native.ts';
import { leastPageBytes, planPages } from './plan-pages.ts';
import { planText } from './plan-text.ts';
import { type Route, takeRoute } from './route.ts';

const refuseType: Route = (draft, _, input) => ({
  block: blockType(draft.attachment, input),
  at: { ...draft, checks: { ...draft.checks, transport: 'no', model: 'no' } },
});

const routes: Record<FormName, Route> = {
  image: planImage,
  document: planNative('document'),
  pages: planPages,
  'document-text': planDocumentText,
  text: planText,
  audio: planNative('audio'),
  video: planNative('video'),
};

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
      const next = takeRoute(draft, routesOf(rules), room, input);
      planned[index] = next;
      room = leaveRoom(room, next, input);
    }
  }
  return settleSharing(planned, room, input);
}

function routesOf({ forms }: KindRules): readonly Route[] {
  return forms.length === 0 ? [refuseType] : forms.map((form) => routes[form]);
}

/** The room that is left after a draft. What shares the rest keeps its places among the images, and a least share of the bytes. */
function leaveRoom(room: Room, draft: Draft, input: PlanRequestInput): Room {
  if (draft.state === 'planned') return takeRoom(room, draft.cost);
  if (draft.state !== 'sharing') return room;
  if (draft.as === 'pages') {
    const pages = draft.attachment.facts.pages ?? 0;
    const bytes = leastPageBytes(pages);
    const left = takeRoom(room, { ...noCost, images: pages });
    return { ...left, reservedBytes: room.reservedBytes + bytes, comfortBytes: room.comfortBytes + bytes };
  }
  const { nativeBytes, neededBytes } = measureImageNeed(draft.attachment, input.capability.image);
  const demand = base64Bytes(nativeBytes ?? neededBytes);
  return {
    ...takeRoom(room, { ...noCost, images: 1 }),
    reservedBytes: room.reservedBytes + Math.min(demand, base64Bytes(LEAST_BYTES)),
    comfortBytes: room.comfortBytes + Math.min(demand, base64Bytes(COMFORTABLE_BYTES)),
  };
}
