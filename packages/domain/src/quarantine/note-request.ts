import { findHistory, listNewBlocks } from '../receipt/new-blocks.ts';
import { isAccepted, type WireBlock, type WireRequest, type WireTurn } from '../receipt/wire-facts.ts';
import { listAbove } from './picture-limit.ts';
import type { ProvisionalGroup, Quarantined, QuarantineState } from './quarantine-state.ts';
import { readRefusal } from './read-refusal.ts';
import type { Refusal, RefusalApi, RefusalMeaning } from './refusal-meaning.ts';
import { digestsOf, findSentFile, listFiles, listSentFiles } from './wire-files.ts';

/** A turn's own generating request, once it has ended. */
export type NotedRequest = WireRequest & {
  readonly api: RefusalApi;
  /** The provider's error: a status from 400 on, or an event before its model began. */
  readonly refusal: Refusal | undefined;
  /** As for the verdicts of its turn. */
  readonly earlier: WireTurn['earlier'];
};

export type Noted = {
  readonly state: QuarantineState;
  /** The files that are quarantined from now on, to be logged and kept. */
  readonly quarantined: readonly Quarantined[];
  /** The meaning of the refusal; `none` if the provider did not refuse it. */
  readonly meaning: RefusalMeaning;
};

/** The code for a refusal that no row knows. */
const UNSPECIFIED = 'unspecified';
const MAX_ACCEPTED = 4_096;
const MAX_BESIDE = 256;

/** Takes note of what became of a request. Whatever it held and was not read changes nothing. */
export function noteRequest(state: QuarantineState, request: NotedRequest): Noted {
  if (isAccepted(request)) return noteAccepted(state, request);
  const { api, refusal, blocks } = request;
  const meaning: RefusalMeaning = refusal === undefined ? { kind: 'none' } : readRefusal(api, refusal, blocks);
  return { ...noteRefused(state, request, meaning), meaning };
}

/** Every file that was sent is accepted. A file that was left out, and was not missed, stays out. */
function noteAccepted(state: QuarantineState, request: NotedRequest): Noted {
  const sent = digestsOf(listSentFiles(request.blocks));
  const rest = state.provisional.map(({ parts, beside }) => {
    return { parts: parts.filter(({ wireSha256 }) => !sent.includes(wireSha256)), beside };
  });
  const isTried = (group: ProvisionalGroup) => wasTried(group, request);
  const quarantined = rest
    .filter(isTried)
    .flatMap(({ parts }) => parts.map((part): Quarantined => ({ ...part, group: true })));
  const next = {
    ...confirm(state, quarantined),
    provisional: rest.filter((group) => group.parts.length > 0 && !isTried(group)),
    accepted: [...new Set([...state.accepted, ...sent])].slice(-MAX_ACCEPTED),
    suspected: [],
    mustBeginAnew: false,
  };
  return { state: next, quarantined, meaning: { kind: 'none' } };
}

function noteRefused(state: QuarantineState, request: NotedRequest, meaning: RefusalMeaning): Omit<Noted, 'meaning'> {
  const keep = { state, quarantined: [] };
  switch (meaning.kind) {
    case 'none':
      return keep;
    case 'too-large':
      return { ...keep, state: { ...state, provisional: [], suspected: [], mustBeginAnew: true } };
    case 'part': {
      const named = findSentFile(request.blocks, meaning.path);
      if (named === undefined) return takeOut(state, request, listFresh(state, request), meaning.code);
      return quarantine(state, request, [named.sha256], meaning.code);
    }
    case 'limit': {
      const above = listAbove(meaning.limit, request.blocks);
      return meaning.isCertain
        ? quarantine(state, request, above, meaning.code)
        : takeOut(state, request, above, meaning.code);
    }
    case 'media':
      return takeOut(state, request, listFresh(state, request), meaning.code);
    case 'unknown':
      return noteUnknown(state, request);
    default:
      return meaning satisfies never;
  }
}

/** Takes nothing out at first. If a file is refused like this twice in a row, all files that are new with it are taken out: any of them may be the cause. */
function noteUnknown(state: QuarantineState, request: NotedRequest): Omit<Noted, 'meaning'> {
  if (request.blocks === undefined) return { state, quarantined: [] };
  const fresh = listFresh(state, request);
  const isAgain = fresh.some((wireSha256) => state.suspected.includes(wireSha256));
  const { state: next, quarantined } = takeOut(state, request, isAgain ? fresh : [], UNSPECIFIED);
  return { state: { ...next, suspected: fresh }, quarantined };
}

/** Quarantines the files that are certainly refused, and puts back those that were left out with them on trial. */
function quarantine(
  state: QuarantineState,
  request: NotedRequest,
  wireSha256s: readonly string[],
  code: string,
): Omit<Noted, 'meaning'> {
  const known = new Set(state.confirmed.map(({ wireSha256 }) => wireSha256));
  const quarantined = wireSha256s.filter((each) => !known.has(each)).map((wireSha256) => ({ wireSha256, code }));
  const rest = state.provisional
    .filter((group) => !wasTried(group, request))
    .map(({ parts, beside }) => ({
      parts: parts.filter(({ wireSha256 }) => !wireSha256s.includes(wireSha256)),
      beside,
    }))
    .filter(({ parts }) => parts.length > 0);
  return { state: { ...confirm(state, quarantined), provisional: rest, suspected: [] }, quarantined };
}

/**
 * Takes files out of the next request, to see whether it is accepted then. What was out of this one is put back, unless there is more to take
 * out: then all of it is tried together.
 */
function takeOut(
  state: QuarantineState,
  request: NotedRequest,
  wireSha256s: readonly string[],
  code: string,
): Omit<Noted, 'meaning'> {
  if (request.blocks === undefined) return { state, quarantined: [] };
  const isTried = (group: ProvisionalGroup) => wasTried(group, request);
  const waiting = state.provisional.filter((group) => !isTried(group));
  const known = new Set(waiting.flatMap(({ parts }) => parts.map(({ wireSha256 }) => wireSha256)));
  const more = wireSha256s.filter((each) => !known.has(each)).map((wireSha256) => ({ wireSha256, code }));
  const tried = state.provisional.filter(isTried).flatMap(({ parts }) => parts);
  const group = { parts: [...tried, ...more], beside: listBeside(request) };
  const provisional = more.length === 0 ? waiting : [...waiting, group];
  return { state: { ...state, provisional, suspected: [] }, quarantined: [] };
}

/** Whether a request shows something of a group: it went out without the files, or the program dropped them and kept what came with them. */
function wasTried({ parts, beside }: ProvisionalGroup, { blocks }: NotedRequest): boolean {
  const digests = new Set(parts.map(({ wireSha256 }) => wireSha256));
  const held = listFiles(blocks).filter(({ sha256 }) => digests.has(sha256));
  if (held.length > 0) return held.some(({ isReplaced }) => isReplaced === true);
  if (beside.length === 0) return false;
  const keys = new Set((blocks ?? []).map(keyOf));
  return beside.every((key) => keys.has(key));
}

/** Files that are new in a request, and that the provider has accepted in none. */
function listFresh(state: QuarantineState, request: NotedRequest): readonly string[] {
  const known = new Set([...state.accepted, ...state.confirmed.map(({ wireSha256 }) => wireSha256)]);
  return digestsOf(listSentFiles(listNew(request))).filter((wireSha256) => !known.has(wireSha256));
}

/** Lists the other new content, of the kinds that a program sends again with its conversation. */
const listBeside = (request: NotedRequest): readonly string[] =>
  listNew(request)
    .filter(({ kind, place }) => kind !== 'media' && (place === 'user' || place === 'tool-result'))
    .map(keyOf)
    .slice(-MAX_BESIDE);

const listNew = (request: NotedRequest): readonly WireBlock[] =>
  listNewBlocks(request, request.earlier === 'unseen' ? findHistory(request) : request.earlier);

const keyOf = ({ kind, key }: WireBlock): string => `${kind} ${key}`;

const confirm = (state: QuarantineState, quarantined: readonly Quarantined[]): QuarantineState => ({
  ...state,
  confirmed: [...state.confirmed, ...quarantined],
});
