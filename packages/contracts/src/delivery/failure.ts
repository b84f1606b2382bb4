import { z } from 'zod';
import { apiSchemas } from '../api-schemas.ts';
import { idSchema } from '../ids.ts';

/** A closed list (DL-37). */
export const failureCodes = [
  'attachment_too_large_original',
  'attachment_too_large_optimized',
  'attachment_serialized_payload_too_large',
  'attachment_unsupported_mime',
  'attachment_type_unsupported',
  'attachment_corrupt_image',
  'attachment_corrupt',
  'attachment_pixels_exceeded',
  'attachment_inspection_too_costly',
  'attachment_encrypted',
  'attachment_pending',
  'attachment_rejected',
  'attachment_missing',
  'attachment_checksum_mismatch',
  'attachment_optimization_failed',
  'attachment_page_unreadable',
  'attachment_runtime_unsupported',
  'attachment_model_unsupported',
  'attachment_model_vision_unsupported',
  'attachment_model_vision_unknown',
  'attachment_model_unknown',
  'attachment_conversion_denied',
  'attachment_artifact_missing',
  'attachment_artifact_write_failed',
  'attachment_provider_auth_required',
  'attachment_provider_quota_exceeded',
  'attachment_provider_rate_limited',
  'attachment_provider_rejected',
  'attachment_earlier_rejected',
  'attachment_not_granted',
  'delivery_runtime_transport_failed',
  'delivery_agent_missing',
  'delivery_agent_start_failed',
  'delivery_agent_auth_required',
  'delivery_agent_crashed',
  'delivery_protocol_error',
  'delivery_turn_timeout',
  'delivery_stalled',
  'delivery_outcome_unknown',
  'delivery_cancelled',
  'delivery_sandbox_unavailable',
  'delivery_target_unknown',
] as const;

export const failureCodeSchema = z.enum(failureCodes).register(apiSchemas, {
  id: 'FailureCode',
  description: 'Why an attachment or a delivery failed. Each has a page at `/docs/errors/{code}`.',
});
export type FailureCode = z.infer<typeof failureCodeSchema>;

/** Warnings stop no delivery by themselves (DL-17). */
const warningCodes = [
  'image_resized',
  'format_converted',
  'animated_first_frame_only',
  'animated_gif_not_supported',
  'model_does_not_support_images',
  'model_does_not_support_documents',
  'attachment_too_large',
  'pages_rendered',
  'text_extracted',
  'text_decoded',
  'type_differs_from_declared',
  'trailing_bytes',
  'unknown_runtime_capability',
  'program_alters_image',
  'preview_unavailable',
  'page_incomplete',
  'encoding_uncertain',
  'text_media_left_out',
] as const;

const severitySchema = z.enum(['info', 'warning', 'error']).describe('How much it matters.');

export const pageLackSchema = z
  .enum(['page', 'unmapped', 'words', 'pictures', 'annotations', 'unknown'])
  .describe(
    'What a drawing of a page leaves out. `page`: all of it. `unmapped`: words of which only numbers of glyphs are there, in a font that is not. `words`: those that no font here draws, and that the text of the document has. `unknown`: its drawing is blank, as a page is that has nothing.',
  );

/** Made by inspection, the planner and the projector, read by callers. Holds no base64, path or content; may be logged. */
export const warningSchema = z
  .object({
    code: z.enum(warningCodes).meta({
      description:
        'preview_unavailable is raised by nobody in this release: a file without a preview is as good. program_alters_image is raised by nobody in this release: no row of the catalog says that its program does so.',
    }),
    severity: severitySchema,
    message: z.string().describe('The warning in words.'),
    pages: z.array(z.int().positive()).optional().describe('The pages that it is about, from 1, in order.'),
    lacks: pageLackSchema.optional(),
    used: z.string().optional().describe('The encoding as which a text is read; absent where it is read as none.'),
    runnerUp: z.string().optional().describe('The encoding that it may be in as well.'),
  })
  .register(apiSchemas, { id: 'Warning', description: 'Something worth knowing that stops nothing by itself.' });
export type Warning = z.infer<typeof warningSchema>;

/**
 * Made by the planner, the projector and the gateway, read by callers; safe to log: `diagnostic` is
 * redacted, `safeDetails` holds numbers and short words, never content, base64, keys or paths.
 */
export const failureSchema = z
  .object({
    code: failureCodeSchema,
    severity: severitySchema,
    attachmentId: idSchema('attachment').optional(),
    agentId: idSchema('agent').optional(),
    provider: z.string().optional(),
    model: z.string().optional(),
    userMessage: z.string().describe('What is wrong and what to do, for people.'),
    diagnostic: z.string(),
    /** The same message, unedited (DL-42). */
    retryable: z.boolean().describe('Whether the same may succeed unedited.'),
    safeDetails: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
      .optional()
      .describe('Numbers and short words about it.'),
  })
  .register(apiSchemas, {
    id: 'Failure',
    description: 'Why something was refused or failed. Holds no content, key or path.',
  });
export type Failure = z.infer<typeof failureSchema>;
