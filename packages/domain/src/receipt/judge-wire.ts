import { isMessageMedia, matchItems } from './match-items.ts';
import { listNewBlocks } from './new-blocks.ts';
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
 * What became of each item, by the requests that left for the provider in its turn. A request that was not accepted delivers nothing, one
 * that was not read whole shows nothing; what is not shown is `unknown`.
 */
export function judgeWire(items: readonly SentItem[], given: WireTurn): readonly WireVerdict[] {
  const earlier = given.earlier === 'unseen' ? findHistory(given.requests) : given.earlier;
  if (earlier === undefined && given.earlier === 'unseen') return items.map(() => unknown);
  const turn = { ...given, earlier };
  const seen = turn.requests.filter(({ blocks }) => blocks !== undefined);
  const find = (requests: readonly WireRequest[]) =>
    requests.map((request) => matchItems(items, listNewBlocks(request, turn.earlier)));
  const delivered = find(seen.filter(isAccepted));
  const held = find(listRefused(seen));
  const canDrop = listDroppable(items, turn);
  return items.map((_, index) => {
    const wire = delivered.map((matches) => matches[index]).find((match) => match !== undefined);
    if (wire !== undefined) return { verdict: 'delivered', proof: 'wire', wire };
    const refused = held.map((matches) => matches[index]).findLast((match) => match !== undefined);
    if (refused !== undefined) return { verdict: 'refused', proof: 'wire', wire: refused };
    return canDrop[index] ? { verdict: 'dropped', proof: 'wire' } : unknown;
  });
}

/**
 * A program that was started again sends a history of which nothing was seen: in the turn's first request, all up to the model's last word is
 * none of this turn's.
 */
function findHistory([first]: readonly WireRequest[]): WireRequest | undefined {
  if (first?.blocks === undefined) return undefined;
  const end = first.blocks.findLastIndex(({ place }) => place === 'assistant') + 1;
  return { blocks: first.blocks.slice(0, end), answer: undefined };
}

/** Those that the provider refused before it accepted the last one. */
function listRefused(requests: readonly WireRequest[]): readonly WireRequest[] {
  return requests.slice(0, Math.max(0, requests.findLastIndex(isAccepted))).filter(isRefusedForContent);
}

/**
 * Whether an item that is found nowhere was left out: all that was accepted is known, and holds no file of which it cannot be said what it
 * is. A text may have been worded in another way.
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
