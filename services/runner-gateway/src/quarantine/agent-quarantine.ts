import type { AttachmentId } from '@attache/contracts';
import type { QuarantinedPart } from '@attache/database';
import {
  beginQuarantine,
  describeReplacement,
  forget,
  listReplacements,
  listSentPictures,
  type NotedRequest,
  noteRequest,
  type Quarantined,
  type QuarantineState,
  type RefusalApi,
  type WireRequest,
} from '@attache/domain';
import type { Replacements } from '@attache/model-relay';
import { createAgentAsides, type KeptAside } from './agent-asides.ts';
import { createAgentDrops } from './agent-drops.ts';
import { createFileWatch } from './file-watch.ts';

/** The files of which it is not known yet whether they are refused, and those that are known not to be. */
export type Trials = Pick<QuarantineState, 'suspected' | 'provisional' | 'accepted'>;

export type AgentQuarantine = ReturnType<typeof createAgentQuarantine>;

/**
 * The parts that the model of one agent refused, and the pictures that were set aside, while its process runs: they are taken out of everything that its program
 * sends. `sent`: the attachments, by digest, whose bytes a continued conversation may hold; undefined where the process begins one. `trials`: those of the
 * process before, where a message is brought again.
 */
export function createAgentQuarantine(api: RefusalApi, sent?: ReadonlyMap<string, AttachmentId>, trials?: Trials) {
  let state: QuarantineState = { ...beginQuarantine(), ...trials };
  const names = new Map(sent);
  const texts = createReplacementTexts(names);
  let kept = new Set<string>();
  const listOut = () => listReplacements(state);
  const listRefused = () => new Set(listOut().map(({ wireSha256 }) => wireSha256));
  const files = createFileWatch(sent !== undefined);
  const known = { attachmentOf: (sha256: string) => names.get(sha256), listRefused };
  const asides = createAgentAsides(known, sent === undefined ? 0 : undefined);
  const drops = createAgentDrops(known);
  return {
    ...{ asides, files, drops },
    /** The texts that replace parts, by the parts' digests. What was refused is out altogether, though it was set aside before. */
    replacements: (): Replacements => new Map([...asides.listReplacements(), ...listOut().map(texts.entryOf)]),
    /** The parts that are out, refused or on trial, by their digests. */
    listRefused,
    listTrials: ({ suspected, provisional, accepted } = state): Trials => ({ suspected, provisional, accepted }),
    /** Records whose bytes these are, which may be in the next request. */
    learn(wireSha256: string, attachmentId: AttachmentId): void {
      names.set(wireSha256, attachmentId);
      files.noteComing();
      asides.noteComing();
      drops.noteComing(attachmentId);
    },
    /** The files that a refusal names, by digest: they are out of the next request once it is noted. */
    listNamed: (request: Omit<NotedRequest, 'api'>): readonly string[] =>
      noteRequest(state, { api, ...request }).quarantined.map(({ wireSha256 }) => wireSha256),
    /** Whether a request holds files whose attachment is unknown and was not looked for before. */
    isStrange: createStrangeWatch(names),
    /** Takes note of how a turn's own request ended. */
    noteRequest(request: Omit<NotedRequest, 'api'>): void {
      state = noteRequest(state, { api, ...request }).state;
      files.noteRequest(request);
      if (request.blocks !== undefined) asides.noteSent(listSentPictures(request.blocks).length);
    },
    /** Whether the last request was refused because the conversation is larger than what the model takes. */
    mustBeginAnew: (): boolean => state.mustBeginAnew,
    /** Parts in quarantine that are not in the database yet. */
    listUnkept: (): readonly QuarantinedPart[] =>
      state.confirmed
        .filter(({ wireSha256 }) => !kept.has(wireSha256))
        .map(({ group = false, ...part }) => ({ ...part, isGroup: group, attachmentId: texts.of(part).attachmentId })),
    noteKept(parts: readonly QuarantinedPart[]): void {
      for (const { wireSha256 } of parts) kept.add(wireSha256);
    },
    /** Takes over the state of the database: refused parts that are gone there were released. Not while a turn runs. */
    sync(all: readonly QuarantinedPart[]): void {
      asides.take(all.filter(isAside));
      const stored = all.filter((part) => !isAside(part));
      const { present, ended, added } = compareStored(stored, kept, state);
      for (const wireSha256 of ended) texts.drop(wireSha256);
      state = forget(state, ended);
      for (const { wireSha256, code, attachmentId } of added) texts.set(wireSha256, attachmentId, code);
      state = { ...state, confirmed: [...state.confirmed, ...added.map(toConfirmed)] };
      kept = present;
    },
  };
}

function createStrangeWatch(names: ReadonlyMap<string, AttachmentId>) {
  const asked = new Set<string>();
  return ({ blocks = [] }: Pick<WireRequest, 'blocks'>): boolean => {
    const found = blocks.flatMap((block) => (block.kind === 'media' ? [block.sha256] : []));
    const strange = found.filter((sha256) => !names.has(sha256) && !asked.has(sha256));
    for (const sha256 of strange) asked.add(sha256);
    return strange.length > 0;
  };
}

/** The parts that are new in the database, and those that are gone there. */
function compareStored(
  stored: readonly QuarantinedPart[],
  kept: ReadonlySet<string>,
  { confirmed }: Pick<QuarantineState, 'confirmed'>,
) {
  const present = new Set(stored.map(({ wireSha256 }) => wireSha256));
  const known = new Set(confirmed.map(({ wireSha256 }) => wireSha256));
  const ended = [...kept].filter((wireSha256) => !present.has(wireSha256));
  return { present, ended, added: stored.filter(({ wireSha256 }) => !known.has(wireSha256)) };
}

const toConfirmed = ({ wireSha256, code, isGroup }: QuarantinedPart): Quarantined => ({
  ...{ wireSha256, code },
  ...(isGroup ? { group: true as const } : {}),
});

export const isAside = (part: QuarantinedPart): part is KeptAside => part.occurrences !== undefined;

/** The text in the place of a part, and whose it is. */
type ReplacementText = { readonly attachmentId: AttachmentId | undefined; readonly text: string };

/** A text stays as it was when it first left: the beginning of a conversation is cached by its bytes. */
function createReplacementTexts(names: ReadonlyMap<string, AttachmentId>) {
  const texts = new Map<string, ReplacementText>();
  const set = (wireSha256: string, attachmentId: AttachmentId | undefined, code: string): ReplacementText => {
    const made = { attachmentId, text: describeReplacement({ attachmentId, code }) };
    texts.set(wireSha256, made);
    return made;
  };
  /** That of a part, with the name that is known of it when it is first asked for. */
  const of = ({ wireSha256, code }: { wireSha256: string; code: string }): ReplacementText =>
    texts.get(wireSha256) ?? set(wireSha256, names.get(wireSha256), code);
  return {
    of,
    entryOf: (part: { wireSha256: string; code: string }) => [part.wireSha256, { text: of(part).text }] as const,
    set,
    drop: (wireSha256: string): boolean => texts.delete(wireSha256),
  };
}
