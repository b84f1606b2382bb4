import type { AttachmentFacts, Warning } from '@attache/contracts';
import type { InspectReply, VariantReply, VariantTask } from '../worker-protocol.ts';

/** The abilities of a worker for one kind of media. A new kind is a folder here and its line in `kinds.ts`. */
export type MediaKind = {
  /** Whether files of this type are of the kind. */
  holds(mimeType: string): boolean;
  /** The type of a file whose first bytes only this kind knows; undefined for all others. */
  sniff?(head: Buffer): string | undefined;
  /** Reads further facts from the first bytes. `found` is the type by its magic number. */
  readHint?(found: string, head: Buffer): Hint;
  /** Facts of a file, once a parser has accepted it. */
  inspect(file: DetectedFile): InspectReply | Promise<InspectReply>;
  /** The form that the task's recipe describes; undefined where no such form can be made of this kind. */
  make?(task: VariantTask): VariantReply | Promise<VariantReply> | undefined;
};

/** `isWeak`: only a few bits of it say so, and where no parser agrees it is something else. */
export type Hint = { facts?: AttachmentFacts; isWeak?: boolean };

export type DetectedFile = {
  path: string;
  sizeBytes: number;
  maxPixels: number;
  mimeType: string;
  facts: AttachmentFacts;
  /** Warnings from the search for its type. */
  warnings?: Warning[];
};
