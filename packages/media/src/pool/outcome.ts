import type { AttachmentFacts, AttachmentKind, Failure, Warning } from '@attache/contracts';

/** The result of an inspection. The caller adds the attachment's id to a failure. */
export type InspectOutcome =
  | { status: 'ready'; mimeType: string; kind: AttachmentKind; facts: AttachmentFacts; warnings: Warning[] }
  | { status: 'rejected'; mimeType: string; kind: AttachmentKind; failure: Failure };

/** The result of a recipe. `scale` is variant pixels per source pixel, after the EXIF orientation; for a page, pixels per point. */
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
