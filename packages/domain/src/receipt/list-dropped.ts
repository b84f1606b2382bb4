import { findHistory } from './new-blocks.ts';
import { isAccepted, isRefusedForContent, type WireBlock, type WireRequest, type WireTurn } from './wire-facts.ts';

/** A file that a program has left out of its conversation. `isAfterRefusal`: it was in the last request of the turn that its provider refused. */
export type DroppedFile = { readonly sha256: string; readonly isAfterRefusal: boolean };

/**
 * The files of a conversation that the last accepted request of a turn does not hold any more, though it continues the conversation. A helper of the program has
 * a conversation of its own, and one that the program has summed up is not known again: both show nothing.
 */
export function listDropped({ requests, earlier }: Pick<WireTurn, 'requests' | 'earlier'>): readonly DroppedFile[] {
  const last = requests.findLast((request) => request.blocks !== undefined && isAccepted(request));
  if (last === undefined) return [];
  const refused = requests.slice(0, requests.indexOf(last)).filter(isRefusedForContent);
  const held = new Set((last.blocks ?? []).flatMap((block) => (block.kind === 'media' ? [block.sha256] : [])));
  const before = [...(earlier === 'unseen' || earlier === undefined ? [] : [earlier]), ...requests.filter(isAccepted)];
  const dropped = new Map<string, DroppedFile>();
  for (const request of [...before, ...refused]) {
    if (request === last || !isContinued(request, last)) continue;
    for (const sha256 of listSentDigests(request))
      if (!held.has(sha256)) dropped.set(sha256, { sha256, isAfterRefusal: request === refused.at(-1) });
  }
  return [...dropped.values()];
}

/** Whether a later request holds something that the model said, or, where it has said nothing, something that it was sent. */
function isContinued(request: WireRequest, later: WireRequest): boolean {
  const said = findHistory(request)?.blocks?.filter(({ place }) => place === 'assistant') ?? [];
  const known =
    said.length > 0 ? said : (request.blocks ?? []).filter(({ kind, place }) => kind === 'text' && place === 'user');
  const keys = new Set((later.blocks ?? []).map(keyOf));
  return known.some((block) => keys.has(keyOf(block)));
}

const listSentDigests = ({ blocks = [] }: WireRequest): readonly string[] =>
  blocks.flatMap((block) =>
    block.kind === 'media' && block.isReadable && block.sha256 !== '' && block.isReplaced !== true
      ? [block.sha256]
      : [],
  );

const keyOf = ({ kind, place, key }: WireBlock): string => `${kind} ${place} ${key}`;
