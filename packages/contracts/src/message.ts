import { z } from 'zod';
import { idSchema } from './ids.ts';
import { schemaVersionSchema, timeSchema } from './versions.ts';

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

export const sendMessageRequestSchema = z.strictObject({
  to: recipientsSchema,
  text: textSchema,
  attachmentIds: attachmentIdsSchema.default([]),
});
export type SendMessageRequest = z.infer<typeof sendMessageRequestSchema>;

/** A persisted message holds ids, never data URLs (DL-98). */
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
