import type { AttachmentId } from '@attache/contracts';
import type { QuarantinedPart } from '@attache/database';
import {
  beginQuarantine,
  forget,
  listReplacements,
  type NotedRequest,
  noteRequest,
  type QuarantineState,
  type RefusalApi,
  type WireRequest,
} from '@attache/domain';
import { createReplacementTexts } from './replacement-texts.ts';

export type AgentQuarantine = ReturnType<typeof createAgentQuarantine>;

/**
 * What the model of one agent refused, while its process runs: taken out of all that its program sends. `sent`: whose bytes a conversation
 * that is continued may hold, by digest.
 */
export function createAgentQuarantine(api: RefusalApi, sent: ReadonlyMap<string, AttachmentId> = new Map()) {
  let state: QuarantineState = beginQuarantine();
  const names = new Map(sent);
  const texts = createReplacementTexts(names);
  const asked = new Set<string>();
  let kept = new Set<string>();

  return {
    /** By the digest of a part, the text that takes its place. */
    replacements: (): ReadonlyMap<string, string> =>
      new Map(listReplacements(state).map((part) => [part.wireSha256, texts.of(part).text])),
    /** Says whose bytes these are. */
    learn(wireSha256: string, attachmentId: AttachmentId): void {
      names.set(wireSha256, attachmentId);
    },
    /** Whether a request holds files of which that was neither said nor asked before. */
    isStrange({ blocks = [] }: Pick<WireRequest, 'blocks'>): boolean {
      const found = blocks.flatMap((block) => (block.kind === 'media' ? [block.sha256] : []));
      const strange = found.filter((sha256) => !names.has(sha256) && !asked.has(sha256));
      for (const sha256 of strange) asked.add(sha256);
      return strange.length > 0;
    },
    /** Takes note of how a turn's own request ended. */
    noteRequest(request: Omit<NotedRequest, 'api'>): void {
      state = noteRequest(state, { api, ...request }).state;
    },
    /** Whether the last request was refused because the conversation is larger than what the model takes. */
    mustBeginAnew: (): boolean => state.mustBeginAnew,
    /** What is in quarantine and not in the database yet. */
    listUnkept: (): readonly QuarantinedPart[] =>
      state.confirmed
        .filter(({ wireSha256 }) => !kept.has(wireSha256))
        .map(({ group = false, ...part }) => {
          return { ...part, isGroup: group, attachmentId: texts.of(part).attachmentId };
        }),
    noteKept(parts: readonly QuarantinedPart[]): void {
      for (const { wireSha256 } of parts) kept.add(wireSha256);
    },
    /** Takes over what the database has: what is gone there was let go. Not while a turn runs. */
    sync(stored: readonly QuarantinedPart[]): void {
      const present = new Set(stored.map(({ wireSha256 }) => wireSha256));
      const ended = [...kept].filter((wireSha256) => !present.has(wireSha256));
      for (const wireSha256 of ended) texts.drop(wireSha256);
      state = forget(state, ended);
      const known = new Set(state.confirmed.map(({ wireSha256 }) => wireSha256));
      const added = stored.filter(({ wireSha256 }) => !known.has(wireSha256));
      for (const { wireSha256, code, attachmentId } of added) texts.set(wireSha256, attachmentId, code);
      const confirmed = added.map(({ wireSha256, code, isGroup }) => {
        return { wireSha256, code, ...(isGroup ? { group: true as const } : {}) };
      });
      state = { ...state, confirmed: [...state.confirmed, ...confirmed] };
      kept = present;
    },
  };
}
