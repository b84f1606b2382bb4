import { z } from 'zod';
import { idSchema } from '../ids.ts';
import { projectionFormatSchema } from '../session/target.ts';
import { schemaVersionSchema, timeSchema } from '../versions.ts';

export const MAX_TEXT_BYTES = 1_000_000;
const textSchema = z.string().max(MAX_TEXT_BYTES);
const recipientsSchema = z.array(idSchema('agent')).min(1).max(32);
const attachmentIdsSchema = z.array(idSchema('attachment')).max(200);

export const planRequestSchema = z.strictObject({
  to: recipientsSchema,
  text: textSchema.optional(),
  attachmentIds: attachmentIdsSchema,
});
export type PlanRequest = z.infer<typeof planRequestSchema>;

/** A file inside a message, for clients that do not upload: base64, bare or as a data URL (DL-46). It becomes an attachment at once. */
export const inlineAttachmentSchema = z.strictObject({
  data: z.string().min(1),
  mimeType: z.string().min(1).max(255),
  filename: z.string().max(1000).optional(),
});
export type InlineAttachment = z.infer<typeof inlineAttachmentSchema>;

export const MAX_INLINE_ATTACHMENTS = 20;

export const sendMessageRequestSchema = z.strictObject({
  to: recipientsSchema,
  /** May be absent where there are attachments. */
  text: textSchema.default(''),
  attachmentIds: attachmentIdsSchema.default([]),
  attachments: z.array(inlineAttachmentSchema).max(MAX_INLINE_ATTACHMENTS).default([]),
  /** Sends also what is not known of a model; needs the right `overrides:manage` and is logged (DL-66). */
  overrideUnknown: z.boolean().default(false),
  /** Leaves out agents that cannot take it instead of refusing the message (DL-55). */
  partial: z.boolean().default(false),
});
export type SendMessageRequest = z.infer<typeof sendMessageRequestSchema>;

/** Earlier messages, or a draft: one of them. */
export const projectionRequestSchema = z.strictObject({
  format: projectionFormatSchema,
  /** The agent whose model is meant. */
  to: idSchema('agent').optional(),
  /** Another model of the agent's provider, or of the format's where no agent is named. */
  model: z.string().optional(),
  messageIds: z.array(idSchema('message')).min(1).max(1000).optional(),
  text: textSchema.optional(),
  attachmentIds: attachmentIdsSchema.optional(),
  bytes: z.enum(['inline', 'url']),
});
export type ProjectionRequest = z.infer<typeof projectionRequestSchema>;

/** A persisted message holds ids, never data URLs (DL-98). Made by ingest, read by callers. Holds no base64 and no path; its text is never logged. */
export const messageSchema = z.object({
  id: idSchema('message'),
  sessionId: idSchema('session'),
  to: z.array(idSchema('agent')),
  text: z.string(),
  attachmentIds: z.array(idSchema('attachment')),
  createdAt: timeSchema,
  schemaVersion: schemaVersionSchema,
});
export type Message = z.infer<typeof messageSchema>;
