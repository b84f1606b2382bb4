import { z } from 'zod';
import { idSchema } from '../ids.ts';
import { schemaVersionSchema, timeSchema } from '../versions.ts';
import { failureSchema, warningSchema } from './failure.ts';

export const attachmentKinds = ['image', 'document', 'text', 'audio', 'video', 'unsupported'] as const;
export const attachmentKindSchema = z.enum(attachmentKinds);
export type AttachmentKind = z.infer<typeof attachmentKindSchema>;

/** `agent` is media taken out of an agent's own output. */
export const attachmentOriginSchema = z.enum(['upload', 'tool-output', 'resource-link', 'agent']);
export type AttachmentOrigin = z.infer<typeof attachmentOriginSchema>;

/** How a person or program brought the file in (DL-75). */
export const attachmentSourceSchema = z.enum(['composer', 'clipboard', 'drag-drop', 'task', 'inbox', 'acp', 'tool']);
export type AttachmentSource = z.infer<typeof attachmentSourceSchema>;

export const attachmentStatusSchema = z.enum(['pending', 'ready', 'rejected']);
export type AttachmentStatus = z.infer<typeof attachmentStatusSchema>;

/** What inspection found. Absent means not known, never "no". */
export const attachmentFactsSchema = z.object({
  width: z.int().positive().optional(),
  height: z.int().positive().optional(),
  animated: z.boolean().optional(),
  frames: z.int().positive().optional(),
  hasAlpha: z.boolean().optional(),
  pages: z.int().nonnegative().optional(),
  /** Label of the text's encoding, as in the WHATWG Encoding Standard (utf-8, utf-16le, windows-1251, …). */
  encoding: z.string().optional(),
  hasByteOrderMark: z.boolean().optional(),
  /** Of sound and video: from the first to the end of the last frame that is there. */
  durationMs: z.number().nonnegative().optional(),
  /** What holds sound or video: mp4, quicktime, webm, matroska, ogg, wav, mp3, … */
  container: z.string().optional(),
  /** The first track's: h264, hevc, vp9, av1, …; aac, opus, pcm-s16, … Absent where there is no such track or its coding has no name. */
  videoCodec: z.string().optional(),
  audioCodec: z.string().optional(),
  /** Bytes of a document's own text as `document-text` gives it; 0 where it has none (a scan). */
  textBytes: z.int().nonnegative().optional(),
});
export type AttachmentFacts = z.infer<typeof attachmentFactsSchema>;

/** A rectangle of the source in its pixels (BX-13). */
export const cropSchema = z.object({ x: z.int(), y: z.int(), width: z.int(), height: z.int() });
export type Crop = z.infer<typeof cropSchema>;

export const variantPurposeSchema = z.enum(['preview', 'inline-image', 'decoded-text', 'page-image', 'document-text']);
export type VariantPurpose = z.infer<typeof variantPurposeSchema>;

/** Derived bytes with a purpose. Made by the projector, read by the gateway and by callers; the original never changes (SR-02). Holds no base64 and no path; may be logged. */
export const variantSchema = z.object({
  id: idSchema('variant'),
  purpose: variantPurposeSchema,
  mimeType: z.string(),
  sizeBytes: z.int().nonnegative(),
  sha256: z.string().length(64),
  width: z.int().positive().optional(),
  height: z.int().positive().optional(),
  /** Variant pixels per source pixel, of a page per point (1/72 inch), so that coordinates map back (BX-13). */
  scale: z.number().positive().optional(),
  crop: cropSchema.optional(),
  /** The page that it shows, from 1. */
  page: z.int().positive().optional(),
});
export type Variant = z.infer<typeof variantSchema>;

/**
 * The descriptor: what is said of an attachment instead of its bytes. Made by intake and the projector, read by callers. Holds no
 * base64 and no path; the name is content, so only ids, type and size are logged.
 */
export const attachmentSchema = z.object({
  id: idSchema('attachment'),
  sessionId: idSchema('session'),
  name: z.string(),
  mimeType: z.string(),
  declaredMimeType: z.string().optional(),
  kind: attachmentKindSchema,
  size: z.int().nonnegative(),
  sizeBytes: z.int().nonnegative(),
  sha256: z.string().length(64),
  origin: attachmentOriginSchema,
  source: attachmentSourceSchema.optional(),
  status: attachmentStatusSchema,
  failure: failureSchema.optional(),
  facts: attachmentFactsSchema,
  variants: z.array(variantSchema),
  warnings: z.array(warningSchema),
  createdAt: timeSchema,
  schemaVersion: schemaVersionSchema,
});
export type Attachment = z.infer<typeof attachmentSchema>;
