import type { AttachmentId } from '@attache/contracts';
import type { QuarantinedPart } from '@attache/database';
import {
  type AsidePart,
  type AsideReason,
  chooseAside,
  describeAside,
  type FullRequest,
  type RequestLimits,
} from '@attache/domain';
import type { Replacement } from '@attache/model-relay';

export type AgentAsides = ReturnType<typeof createAgentAsides>;

/** A picture that is set aside, and whose it is. */
export type KeptAside = QuarantinedPart & { readonly occurrences: number };
export type ChosenAside = KeptAside & { readonly code: AsideReason };

type Known = {
  attachmentOf(wireSha256: string): AttachmentId | undefined;
  /** Those that the model has refused: they are out altogether. */
  listRefused(): ReadonlySet<string>;
};

/** Room for pictures that nobody announces, such as those that its program finds by itself, while requests still stream. */
const STREAMED_SHARE = 0.5;

/**
 * The pictures of one agent that are set aside, while its process runs. `heldImages`: how many pictures its conversation begins with; undefined for one that an
 * earlier process began.
 */
export function createAgentAsides(known: Known, heldImages: number | undefined) {
  const parts = new Map<string, KeptAside>();
  let limits: RequestLimits = {};
  let images = heldImages;
  let comingImages = 0;

  return {
    listReplacements: (): (readonly [string, Replacement])[] =>
      [...parts.values()].map((part) => {
        return [part.wireSha256, { text: describeAside(part.attachmentId), first: part.occurrences }];
      }),
    /** A turn begins, or a message enters one. */
    noteTurn(present: RequestLimits): void {
      limits = present;
    },
    /** A message or a tool brings the agent a file, which may be a picture. */
    noteComing(): void {
      comingImages += 1;
    },
    /** A turn's own request went out with so many pictures. One with fewer than before may be of a helper, with a conversation of its own. */
    noteSent(sentImages: number): void {
      if (sentImages < (images ?? 0)) return;
      images = sentImages;
      comingImages = 0;
    },
    /** Whether the next request may be above a limit. */
    isNear(lengthBytes: number | undefined): boolean {
      if ((lengthBytes ?? 0) > (limits.bytes ?? Number.POSITIVE_INFINITY)) return true;
      if (limits.images === undefined) return false;
      return images === undefined || images + comingImages > limits.images * STREAMED_SHARE;
    },
    /** The pictures to set aside in a request. They are out once they are `take`n. */
    choose(request: FullRequest): readonly ChosenAside[] {
      const refused = known.listRefused();
      const replaced = (sha256: string) =>
        refused.has(sha256) ? Number.POSITIVE_INFINITY : (parts.get(sha256)?.occurrences ?? 0);
      return chooseAside(request, limits, replaced).map((part) => toKept(part, parts.get(part.wireSha256), known));
    },
    /** Takes over what is in the database. What is set aside there stays so as long as the conversation. */
    take(kept: readonly KeptAside[]): void {
      for (const part of kept)
        if (part.occurrences > (parts.get(part.wireSha256)?.occurrences ?? 0)) parts.set(part.wireSha256, part);
    },
  };
}

/** One that was set aside before keeps its name, and so the text in its place. */
const toKept = ({ wireSha256, ...part }: AsidePart, before: KeptAside | undefined, known: Known): ChosenAside => ({
  ...{ ...part, wireSha256, isGroup: false },
  attachmentId: before === undefined ? known.attachmentOf(wireSha256) : before.attachmentId,
});
