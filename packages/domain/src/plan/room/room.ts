import type { KindCapability } from '@attache/contracts';
import { announceAttachments } from '../../text/marker.ts';
import type { Cost, PlannableAttachment, PlanRequestInput, Room } from '../plan-types.ts';
import { jsonTextBytes } from './transport-size.ts';

/** The protocol's own overhead around a message: method, ids, trace context, the text block. */
export const FRAME_OVERHEAD_BYTES = 2048;
/** A block's own overhead around its content; its name may appear in an address and in a header, escaped. */
export const BLOCK_OVERHEAD_BYTES = 512;
const NAME_COPIES = 8;

/** Upper bound of a message's line without the contents of its attachments. */
export function measureFrame(text: string, attachments: readonly PlannableAttachment[]): number {
  const blocks = attachments.reduce((sum, { name, mimeType }) => {
    return sum + BLOCK_OVERHEAD_BYTES + NAME_COPIES * jsonTextBytes(name) + jsonTextBytes(mimeType);
  }, 0);
  return FRAME_OVERHEAD_BYTES + jsonTextBytes(announceAttachments(text, attachments)) + blocks;
}

/** The room of a message on an otherwise idle target: its limits less the frame and what its history holds. */
export function measureRoom({ capability, resident: all, setsAside }: PlanRequestInput, frameBytes: number): Room {
  const resident = setsAside ? withoutImages(all) : all;
  const left = (limit: number | undefined, held = 0) => (limit ?? Number.POSITIVE_INFINITY) - held;
  return {
    lineBytes: left(capability.maxLineBytes, resident.lineBytes) - frameBytes,
    requestBytes: left(capability.maxRequestBytes, resident.bytes) - frameBytes,
    images: left(capability.image.maxCount, resident.images),
    pages: left(capability.document.maxPages, resident.pages),
    reservedBytes: 0,
    comfortBytes: 0,
  };
}

/** A history all of whose images are set aside. */
const withoutImages = ({ imageBytes = 0, ...rest }: PlanRequestInput['resident']): PlanRequestInput['resident'] => ({
  ...rest,
  images: 0,
  bytes: Math.max(0, (rest.bytes ?? 0) - imageBytes),
});

/** Serialised bytes that an attachment carried so may still take. */
export function roomFor(room: Room, carriage: KindCapability['carriage']): number {
  // A line that is too short for the frame alone has no room for a path either.
  if (carriage === 'file') return room.lineBytes < 0 ? room.lineBytes : room.requestBytes;
  return Math.min(room.lineBytes, room.requestBytes);
}

/** The cost of `bytes` serialised bytes with this carriage. */
export function costOf(bytes: number, carriage: KindCapability['carriage']): Pick<Cost, 'lineBytes' | 'requestBytes'> {
  return { lineBytes: carriage === 'file' ? 0 : bytes, requestBytes: bytes };
}

export function takeRoom(room: Room, cost: Cost): Room {
  return {
    ...room,
    lineBytes: room.lineBytes - cost.lineBytes,
    requestBytes: room.requestBytes - cost.requestBytes,
    images: room.images - cost.images,
    pages: room.pages - cost.pages,
  };
}

/** The most bytes that one attachment of a kind may hold. */
export function byteLimitOf({ carriage, maxInlineBytes, maxFileBytes }: KindCapability): number {
  const byPath = carriage === 'file' ? maxFileBytes : undefined;
  return Math.min(maxInlineBytes ?? Number.POSITIVE_INFINITY, byPath ?? Number.POSITIVE_INFINITY);
}
