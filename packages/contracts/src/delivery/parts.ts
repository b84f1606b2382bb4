import { z } from 'zod';
import { idSchema } from '../ids.ts';
import { pageGapSchema } from './attachment.ts';

/**
 * The bytes behind a part: an attachment's original, or one of its variants. Made by the projector, read by the gateway and ingest. Holds no base64 and no
 * path; may be logged.
 */
export const byteReferenceSchema = z.object({
  attachmentId: idSchema('attachment'),
  variantId: idSchema('variant').optional(),
  mimeType: z.string(),
  sizeBytes: z.int().nonnegative(),
  sha256: z.string().length(64),
});
export type ByteReference = z.infer<typeof byteReferenceSchema>;

/**
 * Provider-neutral parts of one delivery. Made by the projector as data, read by a driver, which turns them into its runtime's own blocks.
 * Holds no base64 and no path; texts and names are content and are never logged.
 */
export const partSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('image'), bytes: byteReferenceSchema }),
  /** A text file: decoded UTF-8 behind `bytes`. The driver carries it in a block of its own, or under a header with its name. */
  z.object({ type: z.literal('text-file'), bytes: byteReferenceSchema, name: z.string() }),
  /** A document as it is (PDF). */
  z.object({ type: z.literal('document'), bytes: byteReferenceSchema, name: z.string() }),
  /** The pages of a document as images, in their order: all but those of which nothing can be drawn. `gaps` names these, and those that are not whole. */
  z.object({
    type: z.literal('pages'),
    name: z.string(),
    pages: z.array(byteReferenceSchema).min(1),
    gaps: z.array(pageGapSchema).min(1).optional(),
  }),
  z.object({ type: z.literal('audio'), bytes: byteReferenceSchema, name: z.string() }),
  z.object({ type: z.literal('video'), bytes: byteReferenceSchema, name: z.string() }),
  /** The text that replaces an attachment's bytes. */
  z.object({ type: z.literal('descriptor'), attachmentId: idSchema('attachment'), text: z.string() }),
]);
export type Part = z.infer<typeof partSchema>;

/** `text` is the message's own; it contains the markers, one line each. */
export const partsSchema = z.array(partSchema);
