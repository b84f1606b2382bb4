import type { AttachmentFacts, Failure, FailureCode, Recipe, Warning } from '@attache/contracts';

/** The pool sends a worker one job at a time. */
export type WorkerJob = InspectTask | VariantTask;

export type InspectTask = {
  task: 'inspect';
  path: string;
  sizeBytes: number;
  maxPixels: number;
  /** The declared or named type, if it is one of text: bytes cannot distinguish these. No other claim reaches a worker. */
  textType?: string | undefined;
};

export type VariantTask = {
  task: 'make-variant';
  path: string;
  /** An empty file made by the pool. */
  outputPath: string;
  mimeType: string;
  facts: AttachmentFacts;
  recipe: Recipe;
  maxPixels: number;
};

/** The failures that media can find. */
export type ProblemCode = Extract<
  FailureCode,
  | 'attachment_pixels_exceeded'
  | 'attachment_corrupt_image'
  | 'attachment_corrupt'
  | 'attachment_inspection_too_costly'
  | 'attachment_encrypted'
  | 'attachment_type_unsupported'
  | 'attachment_optimization_failed'
  | 'attachment_page_unreadable'
  | 'attachment_too_large_optimized'
>;

/** A failure without its texts for people, which are the pool's. */
export type Problem = { code: ProblemCode; diagnostic: string; safeDetails?: Failure['safeDetails'] };

export type WorkerReply =
  | { status: 'ready'; mimeType: string; facts: AttachmentFacts; warnings: Warning[] }
  | { status: 'rejected'; mimeType: string; problem: Problem }
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
  | { status: 'failed'; problem: Problem }
  /** The machine failed, not the file: `errno` as in ENOSPC. */
  | { status: 'fault'; errno: string };

export type InspectReply = Extract<WorkerReply, { status: 'ready' | 'rejected' }>;
export type VariantReply = Extract<WorkerReply, { status: 'made' | 'failed' }>;

/** A fresh worker's first message. */
export const STARTED = 'started';
