import { isMessageMedia, matchItems } from './match-items.ts';
import { findHistory, listNewBlocks } from './new-blocks.ts';
import {
  isAccepted,
  isRefusedForContent,
  type SentItem,
  type WireBlock,
  type WireRequest,
  type WireTurn,
  type WireVerdict,
} from './wire-facts.ts';

type KnownTurn = WireTurn & { readonly earlier: WireRequest | undefined };

const unknown: WireVerdict = { verdict: 'unknown' };

/**
 * Judges each item by the requests that left for the provider in its turn. A request that was not accepted delivers nothing. A request that was not read whole
 * shows nothing. An item that nothing shows is `unknown`.
 */
export function judgeWire(items: readonly SentItem[], given: WireTurn): readonly WireVerdict[] {
  const [first] = given.requests;
  const earlier = given.earlier === 'unseen' ? first && findHistory(first) : given.earlier;
  if (earlier === undefined && given.earlier === 'unseen') return items.map(() => unknown);
  const turn = { ...given, earlier };
  const seen = turn.requests.filter(({ blocks }) => blocks !== undefined);
  const find = (requests: readonly WireRequest[]) =>
    requests.map((request) => matchItems(items, listNewBlocks(request, turn.earlier)));
  const delivered = find(seen.filter(isAccepted));
  const held = find(listRefused(seen));
  const canDrop = listDroppable(items, turn);
  return items.map((_, index) => {
    const found = delivered.map((matches) => matches[index]).filter((match) => match !== undefined);
    const sent = found.find(({ isReplaced }) => !isReplaced);
    if (sent !== undefined) return { verdict: 'delivered', proof: 'wire', wire: sent.wire };
    // Taken out because of an earlier refusal: the model got a text in its place.
    const refused = held.map((matches) => matches[index]).findLast((match) => match !== undefined) ?? found[0];
    if (refused !== undefined) return { verdict: 'refused', proof: 'wire', wire: refused.wire };
    return canDrop[index] ? { verdict: 'dropped', proof: 'wire' } : unknown;
  });
}

/** The requests that the provider refused before it accepted the last one. */
function listRefused(requests: readonly WireRequest[]): readonly WireRequest[] {
  return requests.slice(0, Math.max(0, requests.findLastIndex(isAccepted))).filter(isRefusedForContent);
}

/**
 * Whether an item that is found nowhere was left out: all accepted content is known, and holds no unidentified file. A text may have been worded in another
 * way.
 */
function listDroppable(
  items: readonly SentItem[],
  { requests, earlier, endedByItself }: KnownTurn,
): readonly boolean[] {
  const accepted = requests.filter(isAccepted);
  const isKnown = accepted.length > 0 && requests.every(({ blocks }) => blocks !== undefined);
  const fresh = accepted.flatMap((request) => listNewBlocks(request, earlier));
  const sent = new Set(items.map(({ sha256 }) => sha256));
  const isClear = !fresh.some((block) => isStrangeFile(block) && !sent.has(readSha256(block) ?? ''));
  const held = new Set(accepted.flatMap(({ blocks = [] }) => blocks.map(readSha256)));
  return items.map((item) => endedByItself && isKnown && isClear && isMessageMedia(item) && !held.has(item.sha256));
}

const isStrangeFile = ({ kind, place }: WireBlock): boolean => kind === 'media' && place === 'user';

const readSha256 = (block: WireBlock): string | undefined => (block.kind === 'media' ? block.sha256 : undefined);
