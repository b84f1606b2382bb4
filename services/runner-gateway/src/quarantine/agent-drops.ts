import type { AttachmentId, Part } from '@attache/contracts';
import { type DroppedFile, describeDropped } from '@attache/domain';

export type AgentDrops = ReturnType<typeof createAgentDrops>;

/** An attachment that the program has left out of its conversation. */
export type Dropped = Pick<DroppedFile, 'isAfterRefusal'> & { readonly attachmentId: AttachmentId };

type Known = {
  attachmentOf(wireSha256: string): AttachmentId | undefined;
  /** Those that have a text in their place in every request. */
  listRefused(): ReadonlySet<string>;
};

/** The attachments that the program of one agent leaves out of its conversation by itself, while its process runs. */
export function createAgentDrops({ attachmentOf, listRefused }: Known) {
  const untold = new Map<AttachmentId, Dropped>();
  const known = new Set<AttachmentId>();
  return {
    /** A turn has ended, after which these files are missing. Returns those that are attachments; the next message tells the agent of them. */
    note(files: readonly DroppedFile[]): readonly Dropped[] {
      const refused = listRefused();
      const dropped = files.flatMap(({ sha256, isAfterRefusal }): Dropped[] => {
        const attachmentId = refused.has(sha256) ? undefined : attachmentOf(sha256);
        // Some programs leave a picture out of each request again. One of its pages is enough to tell of a document.
        if (attachmentId === undefined || known.has(attachmentId)) return [];
        known.add(attachmentId);
        return [{ attachmentId, isAfterRefusal }];
      });
      for (const each of dropped) untold.set(each.attachmentId, each);
      return dropped;
    },
    /** A message or a tool brings the agent this one, again if it had it. */
    noteComing(attachmentId: AttachmentId): void {
      known.delete(attachmentId);
      untold.delete(attachmentId);
    },
    /** The texts that go before the next message. */
    listMarkers: (): readonly Part[] =>
      [...untold.values()].map((each) => ({ type: 'text', text: describeDropped(each) })),
    /** The agent has them. */
    noteTold(): void {
      untold.clear();
    },
  };
}
