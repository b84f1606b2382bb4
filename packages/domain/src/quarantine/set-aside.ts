import { base64Bytes } from '../plan/room/transport-size.ts';
import { findHistory, listNewBlocks } from '../receipt/new-blocks.ts';
import type { WireRequest, WireTurn } from '../receipt/wire-facts.ts';
import { isPicture, listFiles, type WireFile } from './wire-files.ts';

/** The most that a model takes in one request; undefined: no limit is known. */
export type RequestLimits = { readonly images?: number | undefined; readonly bytes?: number | undefined };

/** Why a picture is set aside: the limit that its request was above. */
export type AsideReason = 'too_many_images' | 'request_too_large';

/** A picture that is set aside. `occurrences`: so many of the first blocks with these bytes are replaced in every later request; later ones are not. */
export type AsidePart = { readonly wireSha256: string; readonly occurrences: number; readonly code: AsideReason };

/** A turn's own request before anything is replaced in it. */
export type FullRequest = {
  readonly blocks: WireRequest['blocks'];
  readonly sizeBytes: number;
  /** As for the verdicts of its turn. */
  readonly earlier: WireTurn['earlier'];
  /** The first request of its turn; undefined if this is it. */
  readonly firstOfTurn: WireRequest | undefined;
};

/** How many of the first blocks with a digest are replaced already. */
export type Replaced = (wireSha256: string) => number;

/**
 * Room is made for many turns at once: half of the limit. If one picture were set aside in every turn, the provider would read the whole conversation again in
 * every turn, as no cached beginning would fit any more.
 */
const KEPT_SHARE = 2;

type Occurrence = { readonly file: WireFile; readonly number: number; readonly isReplaced: boolean };

/**
 * Chooses the pictures to set aside in a request that holds more than its model takes: the oldest ones of the conversation, until half of the limit is left.
 * The pictures of the newest message stay. Nothing is chosen where the request is within its limits, or holds nothing that may go.
 */
export function chooseAside(request: FullRequest, limits: RequestLimits, replaced: Replaced): readonly AsidePart[] {
  const pictures = listOccurrences(request.blocks, replaced);
  let left = measure(pictures, request.sizeBytes);
  const code = findExceeded(left, limits);
  if (code === undefined) return [];
  const fresh = new Set(listFresh(request));
  const staying = new Set(listStaying(pictures, fresh));
  const kept = halve(limits, code, nothing);
  // The pictures that a tool has just shown have a place beside those of the message.
  const keptInTurn = halve(limits, code, sum([...staying]));
  const chosen = new Map<string, AsidePart>();
  for (const picture of pictures.filter((each) => !each.isReplaced && !staying.has(each))) {
    const { file, number } = picture;
    if (findExceeded(left, fresh.has(file) ? keptInTurn : kept) === undefined) continue;
    chosen.set(file.sha256, { wireSha256: file.sha256, occurrences: number, code });
    left = subtract(left, sum([picture]));
  }
  return [...chosen.values()];
}

/** The pictures of the newest message, and equal ones behind them: of equal pictures the first ones are replaced. */
function listStaying(pictures: readonly Occurrence[], fresh: ReadonlySet<WireFile>): readonly Occurrence[] {
  const digests = new Set<string>();
  return pictures.filter(({ file }) => {
    if (fresh.has(file) && file.place === 'user') digests.add(file.sha256);
    return digests.has(file.sha256);
  });
}

type Amounts = { readonly images: number; readonly bytes: number };

const nothing: Amounts = { images: 0, bytes: 0 };

const sum = (pictures: readonly Occurrence[]): Amounts => ({
  images: pictures.length,
  bytes: pictures.reduce((bytes, { file }) => bytes + base64Bytes(file.sizeBytes), 0),
});

const subtract = (from: Amounts, { images, bytes }: Amounts): Amounts => ({
  images: from.images - images,
  bytes: from.bytes - bytes,
});

/** The amounts that a request without its replaced pictures has. */
const measure = (pictures: readonly Occurrence[], sizeBytes: number): Amounts =>
  subtract({ images: pictures.length, bytes: sizeBytes }, sum(pictures.filter(({ isReplaced }) => isReplaced)));

function findExceeded({ images, bytes }: Amounts, limits: RequestLimits): AsideReason | undefined {
  if (images > (limits.images ?? Number.POSITIVE_INFINITY)) return 'too_many_images';
  return bytes > (limits.bytes ?? Number.POSITIVE_INFINITY) ? 'request_too_large' : undefined;
}

/** The limits that the rest is to keep: of the one that the request is above, the half of what is left beside `taken`. */
function halve(limits: RequestLimits, code: AsideReason, taken: Amounts): RequestLimits {
  const half = (limit: number | undefined, used: number) =>
    limit === undefined ? undefined : used + Math.floor(Math.max(0, limit - used) / KEPT_SHARE);
  const { images, bytes } = limits;
  return code === 'too_many_images'
    ? { ...limits, images: half(images, taken.images) }
    : { ...limits, bytes: half(bytes, taken.bytes) };
}

function listOccurrences(blocks: WireRequest['blocks'], replaced: Replaced): readonly Occurrence[] {
  const counts = new Map<string, number>();
  return listFiles(blocks)
    .filter((file) => isPicture(file) && file.isListed !== false)
    .map((file) => {
      const number = (counts.get(file.sha256) ?? 0) + 1;
      counts.set(file.sha256, number);
      return { file, number, isReplaced: number <= replaced(file.sha256) };
    });
}

/** The files that are new in the turn: those of its messages, and what tools returned. */
function listFresh({ blocks, earlier, firstOfTurn }: FullRequest): readonly WireFile[] {
  const request = { blocks, answer: undefined };
  return listFiles(listNewBlocks(request, earlier === 'unseen' ? findHistory(firstOfTurn ?? request) : earlier));
}
