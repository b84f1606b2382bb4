import { z } from 'zod';
import dto from '../../golden/v1/dto.json' with { type: 'json' };
import { apiSchemas } from '../api-schemas.ts';
import { idSchema } from '../ids.ts';
import { schemaVersionSchema, timeSchema } from '../versions.ts';
import { failureSchema, pageLackSchema, warningSchema } from './failure.ts';

export const attachmentKinds = ['image', 'document', 'text', 'audio', 'video', 'unsupported'] as const;
export const attachmentKindSchema = z
  .enum(attachmentKinds)
  .register(apiSchemas, { id: 'AttachmentKind', description: 'What the file is to a model.' });
export type AttachmentKind = z.infer<typeof attachmentKindSchema>;

export const attachmentOriginSchema = z.enum(['upload', 'tool-output', 'resource-link', 'agent']).register(apiSchemas, {
  id: 'AttachmentOrigin',
  description: 'Where the file came from. `agent`: media taken out of an agent’s own output.',
});
export type AttachmentOrigin = z.infer<typeof attachmentOriginSchema>;

/** The source of a file is recorded (DL-75). */
export const attachmentSourceSchema = z
  .enum(['composer', 'clipboard', 'drag-drop', 'task', 'inbox', 'acp', 'tool'])
  .register(apiSchemas, { id: 'AttachmentSource', description: 'How a person or program brought the file in.' });
export type AttachmentSource = z.infer<typeof attachmentSourceSchema>;

export const attachmentStatusSchema = z.enum(['pending', 'ready', 'rejected']).register(apiSchemas, {
  id: 'AttachmentStatus',
  description: '`pending`: not inspected yet. `rejected`: it can be downloaded and is never delivered.',
});
export type AttachmentStatus = z.infer<typeof attachmentStatusSchema>;

export const pageGapSchema = z
  .object({
    page: z.int().positive().describe('The page, from 1.'),
    lacks: pageLackSchema,
  })
  .register(apiSchemas, { id: 'PageGap', description: 'A page that cannot be drawn whole.' });
export type PageGap = z.infer<typeof pageGapSchema>;

export const textFaultsSchema = z
  .object({
    replaced: z
      .int()
      .nonnegative()
      .describe('How many places are no text; each becomes U+FFFD. A run of zeros is one.'),
    otherLines: z.int().positive().optional().describe('How many lines are in another encoding.'),
    linesAs: z.string().optional().describe('Label of the encoding as which these lines are decoded.'),
  })
  .register(apiSchemas, {
    id: 'TextFaults',
    description: 'What in a text is not in its encoding; absent where all of it is.',
  });
export type TextFaults = z.infer<typeof textFaultsSchema>;

/** A fact that is absent is unknown, never "no". */
export const attachmentFactsSchema = z
  .object({
    width: z.int().positive().optional(),
    height: z.int().positive().optional(),
    animated: z.boolean().optional().describe('Whether the image moves.'),
    frames: z.int().positive().optional().describe('Number of frames.'),
    hasAlpha: z.boolean().optional().describe('Whether it is transparent in places.'),
    pages: z.int().nonnegative().optional().describe('Number of pages.'),
    /** Looked for only where `textBytes` is known too. Drawing a page may add to them. */
    pageGaps: z
      .array(pageGapSchema)
      .optional()
      .describe('Pages that cannot be drawn whole, as far as that is known, in order; absent where there is none.'),
    /** Such as utf-8, utf-16le, windows-1251. */
    encoding: z
      .string()
      .optional()
      .describe(
        'Label of the text’s encoding: of the WHATWG Encoding Standard, or as `cp850` of a code page that it lacks.',
      ),
    textFaults: textFaultsSchema.optional(),
    inlineMedia: z
      .int()
      .positive()
      .optional()
      .describe('How many files are in the text as base64 or data URLs; absent where none was found.'),
    hasByteOrderMark: z.boolean().optional().describe('Whether the text begins with a byte order mark.'),
    /** From the start to the end of the last frame that is present. */
    durationMs: z.number().nonnegative().optional().describe('How long it lasts, in milliseconds.'),
    /** Such as mp4, quicktime, webm, matroska, ogg, wav, mp3. */
    container: z.string().optional().describe('What holds sound or video.'),
    /** Such as h264, hevc, vp9, av1; aac, opus, pcm-s16. Absent where there is no such track or its coding has no name. */
    videoCodec: z.string().optional().describe('Coding of the first video track.'),
    audioCodec: z.string().optional().describe('Coding of the first sound track.'),
    /** As `document-text` gives it, or `decoded-text` without the files in it. A scan has none. */
    textBytes: z
      .int()
      .nonnegative()
      .optional()
      .describe(
        'Bytes of the document’s own text, 0 where it has none; of a text with files in it, what is left without them.',
      ),
  })
  .register(apiSchemas, { id: 'AttachmentFacts', description: 'What inspection found. What is absent is not known.' });
export type AttachmentFacts = z.infer<typeof attachmentFactsSchema>;

/** Coordinates of a crop map back to its source (BX-13). */
export const cropSchema = z
  .object({ x: z.int().describe('Left edge.'), y: z.int().describe('Upper edge.'), width: z.int(), height: z.int() })
  .register(apiSchemas, { id: 'Crop', description: 'A rectangle of the source, in its pixels.' });
export type Crop = z.infer<typeof cropSchema>;

export const variantPurposeSchema = z
  .enum(['preview', 'inline-image', 'decoded-text', 'page-image', 'document-text'])
  .register(apiSchemas, { id: 'VariantPurpose', description: 'What a variant is for.' });
export type VariantPurpose = z.infer<typeof variantPurposeSchema>;

/** Made by the projector, read by the gateway and by callers; the original never changes (SR-02). Holds no base64 and no path; may be logged. */
export const variantSchema = z
  .object({
    id: idSchema('variant'),
    purpose: variantPurposeSchema,
    mimeType: z.string(),
    sizeBytes: z.int().nonnegative(),
    sha256: z.string().length(64),
    width: z.int().positive().optional(),
    height: z.int().positive().optional(),
    /** A point is 1/72 inch. So coordinates map back (BX-13). */
    scale: z
      .number()
      .positive()
      .optional()
      .describe('Pixels of the variant for each pixel of the source, or for each point of a page.'),
    crop: cropSchema.optional().describe('The part of the source that it shows.'),
    page: z.int().positive().optional(),
    warnings: z
      .array(warningSchema)
      .optional()
      .describe('What it does not show; absent where there is nothing to say.'),
  })
  .register(apiSchemas, { id: 'Variant', description: 'Bytes derived from the original for one purpose.' });
export type Variant = z.infer<typeof variantSchema>;

/**
 * Made by intake and the projector, read by callers. Holds no base64 and no path; the name is
 * content, so only ids, type and size are logged.
 */
export const attachmentSchema = z
  .object({
    id: idSchema('attachment'),
    sessionId: idSchema('session'),
    name: z.string().describe('Name of the file.'),
    mimeType: z.string(),
    declaredMimeType: z.string().optional().describe('Media type as the sender said it.'),
    kind: attachmentKindSchema,
    size: z.int().nonnegative().describe('The same as `sizeBytes`.'),
    sizeBytes: z.int().nonnegative(),
    sha256: z.string().length(64),
    origin: attachmentOriginSchema,
    source: attachmentSourceSchema.optional().describe('How the file was brought in.'),
    status: attachmentStatusSchema,
    failure: failureSchema.optional().describe('Why it was rejected.'),
    facts: attachmentFactsSchema.describe('What inspection found.'),
    variants: z.array(variantSchema).describe('What was derived from it.'),
    warnings: z.array(warningSchema).describe('What is worth knowing and stops nothing.'),
    createdAt: timeSchema,
    schemaVersion: schemaVersionSchema,
  })
  .register(apiSchemas, {
    id: 'Attachment',
    description: 'The descriptor: what is said of a file instead of its bytes.',
    examples: [dto['dto.attachment']],
  });
export type Attachment = z.infer<typeof attachmentSchema>;
