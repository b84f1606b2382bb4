import { essenceOf } from '@attache/contracts/media-type';
import { gateKind } from '../gate-kind.ts';
import { refuse } from '../gates.ts';
import {
  type Block,
  noCost,
  type PlannableAttachment,
  type PlanRequestInput,
  type Room,
  type Route,
} from '../plan-types.ts';
import { byteLimitOf, costOf, roomFor } from '../room/room.ts';
import { base64Bytes } from '../room/transport-size.ts';
import { blockFileRoom, blockFileSize, blockFileType, blockPages } from './block-form.ts';

type NativeKind = 'document' | 'audio' | 'video';

/** A document, sound or film as it is: there is no smaller form of it. */
export function planNative(as: NativeKind): Route {
  return (draft, room, input) => {
    const { attachment } = draft;
    const { kind, draft: gated, blocks, isKnown } = gateKind(draft, as, input);
    const budget = blockBudget(as, attachment, room, input);
    const prepare = isKnown ? blockPrepare(as, attachment, input) : undefined;
    const refusal = refuse(gated, [budget, ...blocks, prepare]);
    if (refusal) return refusal;
    const bytes = base64Bytes(attachment.sizeBytes);
    return {
      draft: {
        ...gated,
        checks: { ...gated.checks, budget: 'yes', prepare: 'yes' },
        state: 'planned',
        becomes: 'native',
        reason: `${input.target.model} takes ${attachment.mimeType} as it is.`,
        cost: {
          ...noCost,
          ...costOf(bytes, kind.carriage),
          pages: as === 'document' ? (attachment.facts.pages ?? 0) : 0,
        },
      },
    };
  };
}

function blockBudget(
  as: NativeKind,
  attachment: PlannableAttachment,
  room: Room,
  input: PlanRequestInput,
): Block | undefined {
  const kind = input.capability[as];
  const limitBytes = byteLimitOf(kind);
  if (attachment.sizeBytes > limitBytes) return blockFileSize(attachment, limitBytes);
  const { pages } = attachment.facts;
  // Not known is not within.
  if (as === 'document' && kind.maxPages !== undefined && (pages === undefined || pages > room.pages)) {
    return blockPages(pages, room.pages, 'as they are');
  }
  const neededBytes = base64Bytes(attachment.sizeBytes);
  const availableBytes = roomFor(room, kind.carriage) - room.comfortBytes;
  return neededBytes > availableBytes ? blockFileRoom(neededBytes, availableBytes) : undefined;
}

function blockPrepare(as: NativeKind, attachment: PlannableAttachment, input: PlanRequestInput): Block | undefined {
  const { mimeTypes } = input.capability[as];
  return mimeTypes.includes(essenceOf(attachment.mimeType) ?? '')
    ? undefined
    : blockFileType(attachment, input, mimeTypes);
}
