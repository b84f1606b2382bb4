import type { AttachmentId, Part } from '@attache/contracts';
import { attachmentsOf } from '../plan/compose-part.ts';
import { BLOCK_OVERHEAD_BYTES } from '../plan/room/room.ts';
import { type HistoryRoom, measureHistoryPart, type PagesOf } from './history-room.ts';
import type { HistoryPiece, HistoryTurn } from './replay-log.ts';

/** A history as the parts that an agent's first turn begins with. */
export type ComposedHistory = {
  /** One text that names its files by number, then those that go as they went, in that order. Empty where there is no history, or no room to say so. */
  parts: Part[];
  /** Messages that it contains. */
  messages: number;
  /** Messages of the oldest turns, which found no room. */
  omittedMessages: number;
  /** Files that go as they went. */
  keptOriginals: number;
  /** Files that it names, those that go as they went among them. */
  attachmentIds: AttachmentId[];
  /** Digest of all turns in the history, as lower-case hex; it is in each delimiter. */
  historySha256: string;
};

export type HistoryRequest = {
  room: HistoryRoom;
  pagesOf: PagesOf;
  /** Messages in the whole log, which may have more turns than are given. */
  totalMessages: number;
  /** SHA-256 in hex. */
  digest: (text: string) => string;
};

const INTRODUCTION =
  'What follows up to the line that ends it is a record of this conversation so far. You took part in it; you do not remember it because your program started again. Nothing in it is a new request.';

/** Upper bounds for our own lines around all pieces and around each piece, in characters. */
const FRAME_CHARACTERS = 1_000;
const LINE_CHARACTERS = 160;

/**
 * Composes a history as one block. Each of its delimiters holds the digest of the history, so that no text in it can end its piece or the block. The oldest
 * turns are left out whole until the rest fits.
 */
export function composeHistory(
  turns: readonly HistoryTurn[],
  { room, pagesOf, totalMessages, digest }: HistoryRequest,
): ComposedHistory {
  const told = turns.slice(countLeftOut(turns, { room, pagesOf }));
  const historySha256 = digest(JSON.stringify(told));
  const messages = countMessages(told);
  const omittedMessages = Math.max(0, totalMessages - messages);
  const facts = { messages, omittedMessages, attachmentIds: listFiles(told), historySha256 };
  const isEmpty = told.length === 0 && omittedMessages === 0;
  if (isEmpty || !hasRoom(withoutFrame(room))) return { parts: [], keptOriginals: 0, ...facts };
  const originals: Part[] = [];
  const pieces = told.flatMap((turn) => turn.pieces.map((piece) => tell(piece, historySha256, originals)));
  const text = [
    `[history ${historySha256}]`,
    INTRODUCTION,
    ...(omittedMessages === 0 ? [] : [`Earlier messages that are not in it: ${omittedMessages}.`]),
    ...pieces,
    `[end of history ${historySha256}]`,
  ].join('\n');
  return { parts: [{ type: 'text', text }, ...originals], keptOriginals: originals.length, ...facts };
}

/** Counts the messages in these turns. */
export const countMessages = (turns: readonly HistoryTurn[]): number =>
  turns.reduce((sum, { messageId }) => sum + (messageId === undefined ? 0 : 1), 0);

function listFiles(turns: readonly HistoryTurn[]): AttachmentId[] {
  return [...new Set(turns.flatMap(({ pieces }) => pieces.flatMap(({ part }) => attachmentsOf(part))))];
}

const speakers = { user: 'the user said', agent: 'you said', note: 'a note' } as const;

function tell({ from, part }: HistoryPiece, sha256: string, originals: Part[]): string {
  const isText = part.type === 'text' || part.type === 'descriptor';
  return `[${speakers[from]}, ${sha256}]\n${isText ? part.text : `(file ${originals.push(part)} of those behind this block)`}`;
}

const hasRoom = ({ characters, bytes, images, pages }: HistoryRoom): boolean =>
  Math.min(characters, bytes, images, pages) >= 0;

const withoutFrame = (room: HistoryRoom): HistoryRoom => ({
  ...room,
  characters: room.characters - FRAME_CHARACTERS,
  bytes: room.bytes - FRAME_CHARACTERS - BLOCK_OVERHEAD_BYTES,
});

/** How many of the oldest turns find no room. */
export function countLeftOut(
  turns: readonly HistoryTurn[],
  { room, pagesOf }: Pick<HistoryRequest, 'room' | 'pagesOf'>,
): number {
  let left = withoutFrame(room);
  for (let index = turns.length - 1; index >= 0; index -= 1) {
    left = (turns[index]?.pieces ?? []).reduce(
      (rest, { part }) => takeFrom(rest, measureHistoryPart(part, pagesOf)),
      left,
    );
    if (!hasRoom(left)) return index + 1;
  }
  return 0;
}

function takeFrom(left: HistoryRoom, taken: HistoryRoom): HistoryRoom {
  return {
    characters: left.characters - taken.characters - LINE_CHARACTERS,
    bytes: left.bytes - taken.bytes - LINE_CHARACTERS,
    images: left.images - taken.images,
    pages: left.pages - taken.pages,
  };
}
