import { essenceOf } from '../classify-media-type.ts';
import { base64Bytes } from '../transport-size.ts';
import { blockFileRoom, blockFileSize, blockFileType, blockPages } from './block-form.ts';
import { gateKind } from './gate-kind.ts';
import { type Block, noCost, type PlannableAttachment, type PlanRequestInput } from './plan-types.ts';
import { byteLimitOf, costOf, type Room, roomFor } from './room.ts';
import type { Route } from './route.ts';

type NativeKind = 'document' | 'audio' | 'video';

/** A document, sound or film as it is: there is no smaller form of it. */
export function planNative(as: NativeKind): Route {
  return (draft, room, input) => {
    const { attachment } = draft;
    const { kind, draft: gated, block } = gateKind(draft, as, input);
    const refusal = block ?? blockNative(as, attachment, room, input);
    if (refusal) return { block: refusal, at: gated };
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

function blockNative(
  as: NativeKind,
  attachment: PlannableAttachment,
  room: Room,
  input: PlanRequestInput,
): Block | undefined {
  const kind = input.capability[as];
  if (!kind.mimeTypes.includes(essenceOf(attachment.mimeType) ?? ''))
    return blockFileType(attachment, input, kind.mimeTypes);
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
