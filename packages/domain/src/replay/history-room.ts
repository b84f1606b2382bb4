import type { AttachmentId, Capability, DeliveryPlan, Part } from '@attache/contracts';
import { referencesOf } from '../plan/compose-part.ts';
import type { Held } from '../plan/room/measure-held.ts';
import { BLOCK_OVERHEAD_BYTES } from '../plan/room/room.ts';
import { base64Bytes, jsonTextBytes, maxDecodedBytes } from '../plan/room/transport-size.ts';

/** The room that a turn has for a history besides its own delivery. Infinite if no limit is known. */
export type HistoryRoom = {
  /** UTF-16 units of all texts together, as programs count characters. */
  characters: number;
  /** Serialised bytes, of the line and of the request: the smaller one. */
  bytes: number;
  images: number;
  pages: number;
};

/** About 100,000 tokens: half of what most models read, so that the turn that follows has room for its own work. */
export const MAX_HISTORY_CHARACTERS = 400_000;

/** A model may read less than most do, and a program may not survive its history: a session must not fail on it for ever. */
const SETBACK_SHARE = 4;

export type HistoryRoomRequest = {
  capability: Capability;
  /** The room that the delivery itself takes. */
  own: { plan: Pick<DeliveryPlan, 'budget'>; parts: readonly Part[]; held: Held };
  /** The maximum that the program takes in one turn, in characters. */
  maxTurnCharacters: number | undefined;
  /** How often the agent's processes ended badly since it last answered: each leaves a quarter of the room. */
  setbacks: number;
};

/** The delivery comes first: its plan is frozen, and stays as it is. */
export function measureHistoryRoom(request: HistoryRoomRequest): HistoryRoom {
  const { capability, own, maxTurnCharacters, setbacks } = request;
  const { maxLineBytes, maxRequestBytes } = capability;
  const left = (limit: number | undefined, taken: number) => (limit ?? Number.POSITIVE_INFINITY) - taken;
  const { budget } = own.plan;
  return {
    characters: Math.min(
      MAX_HISTORY_CHARACTERS / SETBACK_SHARE ** setbacks,
      left(maxTurnCharacters, countCharacters(own.parts)),
    ),
    bytes: Math.min(
      left(maxLineBytes, budget.lineBytes?.used ?? own.held.bytes),
      left(maxRequestBytes, own.held.bytes),
    ),
    images: left(capability.image.maxCount, own.held.images),
    pages: left(capability.document.maxPages, own.held.pages),
  };
}

/** How many pages a document has; undefined where nobody knows: it then fits only where no limit is known. */
export type PagesOf = (attachmentId: AttachmentId) => number | undefined;

/** The room that one part of a history takes. */
export function measureHistoryPart(part: Part, pagesOf: PagesOf): HistoryRoom {
  if (part.type === 'text' || part.type === 'descriptor')
    return { characters: part.text.length, bytes: jsonTextBytes(part.text), images: 0, pages: 0 };
  const references = referencesOf(part);
  if (part.type === 'text-file') {
    // Its text is not at hand: none decodes to more, and each character may be escaped.
    const decoded = references.reduce((sum, { sizeBytes }) => sum + maxDecodedBytes(sizeBytes, 'utf-8'), 0);
    return { characters: decoded, bytes: 6 * decoded + BLOCK_OVERHEAD_BYTES, images: 0, pages: 0 };
  }
  const bytes = references.reduce((sum, { sizeBytes }) => sum + BLOCK_OVERHEAD_BYTES + base64Bytes(sizeBytes), 0);
  const images = part.type === 'pages' ? part.pages.length : part.type === 'image' ? 1 : 0;
  const pages = part.type === 'document' ? (pagesOf(part.bytes.attachmentId) ?? Number.MAX_SAFE_INTEGER) : 0;
  return { characters: 0, bytes, images, pages };
}

function countCharacters(parts: readonly Part[]): number {
  return parts.reduce((sum, part) => sum + measureHistoryPart(part, () => undefined).characters, 0);
}
