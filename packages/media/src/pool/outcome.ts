import type { AttachmentFacts, AttachmentKind, Failure, Warning } from '@attache/contracts';

/** What inspection found. The caller adds the attachment's id to a failure. */
export type InspectOutcome =
  | { status: 'ready'; mimeType: string; kind: AttachmentKind; facts: AttachmentFacts; warnings: Warning[] }
  | { status: 'rejected'; mimeType: string; kind: AttachmentKind; failure: Failure };

/** What became of a recipe. `scale` is variant pixels per source pixel, after the EXIF orientation; of a page per point. */
export type VariantOutcome =
  | {
      status: 'made';
      mimeType: string;
      sizeBytes: number;
      sha256: string;
      width?: number | undefined;
      height?: number | undefined;
      scale?: number | undefined;
      page?: number | undefined;
      warnings: Warning[];
    }
  | { status: 'failed'; failure: Failure };
