import { z } from 'zod';
import dto from '../../golden/v1/dto.json' with { type: 'json' };
import { apiSchemas } from '../api-schemas.ts';
import { idSchema } from '../ids.ts';
import { projectionFormatSchema } from '../session/target.ts';
import { schemaVersionSchema, timeSchema } from '../versions.ts';

/** Most characters of a message, once its media are taken out. */
export const MAX_TEXT_LENGTH = 1_000_000;
/** As much as a body may hold: media in base64 are part of it. */
const textSchema = z
  .string()
  .max(16 * 1024 * 1024)
  .describe('The words: up to 1,000,000 characters, once the media in it are taken out.');
const textMediaSchema = z
  .enum(['extract', 'keep'])
  .optional()
  .describe(
    'Whether media in the text, as data URLs or base64, become attachments of the message, which is the default, or stay as they are.',
  );
const recipientsSchema = z.array(idSchema('agent')).min(1).max(32);
const attachmentIdsSchema = z.array(idSchema('attachment')).max(200);

export const planRequestSchema = z
  .strictObject({
    to: recipientsSchema,
    text: textSchema.optional(),
    textMedia: textMediaSchema,
    attachmentIds: attachmentIdsSchema,
  })
  .register(apiSchemas, {
    id: 'PlanRequest',
    description: 'A message that is not sent.',
    examples: [{ to: ['agt_AZmhssPUfl-KawAAAAAAAg'], attachmentIds: ['att_AZmhssPUfl-KawAAAAAAAw'] }],
  });
export type PlanRequest = z.infer<typeof planRequestSchema>;

/** The boundary makes an attachment of it (DL-46). */
export const inlineAttachmentSchema = z
  .strictObject({
    data: z.string().min(1).describe('The file in base64, bare or as a data URL.'),
    mimeType: z.string().min(1).max(255).describe('Media type as you know it.'),
    filename: z.string().max(1000).optional().describe('Name of the file.'),
  })
  .register(apiSchemas, {
    id: 'InlineAttachment',
    description: 'A file inside a message, for clients that do not upload. It becomes an attachment at once.',
  });
export type InlineAttachment = z.infer<typeof inlineAttachmentSchema>;

export const MAX_INLINE_ATTACHMENTS = 20;

export const sendMessageRequestSchema = z
  .strictObject({
    to: recipientsSchema,
    /** May be absent where there are attachments. */
    text: textSchema.default(''),
    textMedia: textMediaSchema,
    attachmentIds: attachmentIdsSchema.default([]),
    attachments: z
      .array(inlineAttachmentSchema)
      .max(MAX_INLINE_ATTACHMENTS)
      .default([])
      .describe('Files inside the message.'),
    /** It is logged (DL-66). */
    overrideUnknown: z
      .boolean()
      .default(false)
      .describe('Sends also what is not known of a model. Needs the right `overrides:manage`.'),
    /** Without it they block the message (DL-55). */
    partial: z
      .boolean()
      .default(false)
      .describe('Leaves out agents that cannot take the message, instead of refusing it.'),
  })
  .register(apiSchemas, {
    id: 'SendMessageRequest',
    description: 'A message: text, or attachments, or both.',
    examples: [
      {
        to: ['agt_AZmhssPUfl-KawAAAAAAAg'],
        text: 'What is in this picture?',
        attachmentIds: ['att_AZmhssPUfl-KawAAAAAAAw'],
      },
    ],
  });
export type SendMessageRequest = z.infer<typeof sendMessageRequestSchema>;

export const projectionRequestSchema = z
  .strictObject({
    format: projectionFormatSchema.describe('The format of the model API.'),
    to: idSchema('agent').optional().describe('The agent whose model is meant.'),
    /** Another model of the agent's provider, or of the format's where no agent is named. */
    model: z.string().optional(),
    messageIds: z.array(idSchema('message')).min(1).max(1000).optional().describe('Earlier messages of the session.'),
    text: textSchema.optional(),
    textMedia: textMediaSchema,
    attachmentIds: attachmentIdsSchema.optional(),
    bytes: z.enum(['inline', 'url']).describe('Whether files stand in the parts or behind URLs.'),
  })
  .register(apiSchemas, {
    id: 'ProjectionRequest',
    description: 'Earlier messages, or a draft: one of them.',
    examples: [
      {
        format: 'anthropic',
        model: 'claude-sonnet-5',
        text: 'What is in this picture?',
        attachmentIds: ['att_AZmhssPUfl-KawAAAAAAAw'],
        bytes: 'inline',
      },
    ],
  });
export type ProjectionRequest = z.infer<typeof projectionRequestSchema>;

/** A persisted message holds ids, never data URLs (DL-98). Made by ingest, read by callers. Holds no base64 and no path; its text is never logged. */
export const messageSchema = z
  .object({
    id: idSchema('message'),
    sessionId: idSchema('session'),
    to: z.array(idSchema('agent')),
    text: z.string(),
    attachmentIds: z.array(idSchema('attachment')),
    createdAt: timeSchema,
    schemaVersion: schemaVersionSchema,
  })
  .register(apiSchemas, {
    id: 'Message',
    description: 'A message to agents of a session.',
    examples: [dto['dto.message']],
  });
export type Message = z.infer<typeof messageSchema>;
