import { z } from 'zod';
import dto from '../../golden/v1/dto.json' with { type: 'json' };
import { actorSchema } from '../access/actor.ts';
import { apiSchemas } from '../api-schemas.ts';
import { attachmentKindSchema, attachmentOriginSchema, attachmentStatusSchema } from '../delivery/attachment.ts';
import { receiptSchema } from '../delivery/delivery.ts';
import { failureCodeSchema, failureSchema } from '../delivery/failure.ts';
import { idSchema } from '../ids.ts';
import { agentRoleSchema } from '../session/session.ts';
import { targetSchema } from '../session/target.ts';
import { timeSchema } from '../versions.ts';
import { agentOutputItemSchema, eventDataSchemas, resourceViewSchema } from './events.ts';

const agentId = idSchema('agent');

/** As it is when the transcript is read. */
export const transcriptAttachmentSchema = z
  .object({
    id: idSchema('attachment'),
    status: z.enum([...attachmentStatusSchema.options, 'deleted', 'unknown']),
    name: z.string().optional(),
    mimeType: z.string().optional(),
    kind: attachmentKindSchema.optional(),
    sizeBytes: z.int().nonnegative().optional(),
    sha256: z.string().length(64).optional(),
    /** Why it was rejected. */
    failureCode: failureCodeSchema.optional(),
  })
  .register(apiSchemas, {
    id: 'TranscriptAttachment',
    description: 'A file as it is now. Of one that is deleted or unknown only the id.',
  });
export type TranscriptAttachment = z.infer<typeof transcriptAttachmentSchema>;

/** `seq`, `at` and `actor` are those of the event that it was made of. */
const frame = { seq: z.int().positive(), at: timeSchema, actor: actorSchema };

/** `malformed`: its data fits no form that this release knows, or could not be lifted from an older one. */
export const unreadableReasonSchema = z
  .enum(['newer-version', 'unknown-kind', 'malformed'])
  .register(apiSchemas, { id: 'UnreadableReason', description: 'Why it cannot be read.' });
export type UnreadableReason = z.infer<typeof unreadableReasonSchema>;

const messageEntrySchema = z
  .object({
    ...frame,
    type: z.literal('message'),
    messageId: idSchema('message'),
    to: z.array(agentId),
    /** The message's own; absent where it was erased. */
    text: z.string().optional(),
    attachments: z.array(transcriptAttachmentSchema).describe('Files inside the message.'),
    deliveryIds: z.array(idSchema('delivery')).describe('One delivery for each agent.'),
    leftOut: eventDataSchemas['message.accepted'].shape.leftOut,
  })
  .register(apiSchemas, { id: 'MessageEntry', description: 'A message, with its text and what it names.' });

const agentItemEntrySchema = z
  .object({
    ...frame,
    type: z.literal('agent-item'),
    agentId,
    deliveryId: idSchema('delivery').optional(),
    item: agentOutputItemSchema.describe('What the agent said.'),
    /** Only for a media item. */
    attachment: transcriptAttachmentSchema.optional(),
  })
  .register(apiSchemas, { id: 'AgentItemEntry', description: 'One finished item of an agent’s output.' });

const toolCallEntrySchema = z
  .object({
    ...frame,
    type: z.literal('tool-call'),
    agentId,
    callId: z.string(),
    tool: z.string(),
    status: z.enum(['called', 'blocked', 'completed']),
    /** Why it was blocked. */
    reason: z.string().optional(),
    outcome: z.string().optional().describe('How it ended, in the words of the program.'),
  })
  .register(apiSchemas, { id: 'ToolCallEntry', description: 'A step of a tool call.' });

const viewEntrySchema = z
  .object({
    ...frame,
    type: z.literal('view'),
    agentId,
    attachment: transcriptAttachmentSchema,
    variantId: idSchema('variant').optional(),
    view: resourceViewSchema.optional().describe('The part that it asked for; all, if absent.'),
  })
  .register(apiSchemas, { id: 'ViewEntry', description: 'A look of an agent at a file.' });

const deliveryEntrySchema = z
  .object({
    ...frame,
    type: z.literal('delivery'),
    deliveryId: idSchema('delivery'),
    messageId: idSchema('message'),
    agentId,
    attempt: z.int().positive(),
    status: z.enum(['written', 'responded', 'failed', 'cancelled']),
    receipt: receiptSchema.optional(),
    failure: failureSchema.optional(),
    /** The content that was refused, although the turn was answered. */
    diagnostic: failureSchema.optional(),
  })
  .register(apiSchemas, { id: 'DeliveryEntry', description: 'A step of a delivery.' });

const attachmentEntrySchema = z
  .object({
    ...frame,
    type: z.literal('attachment'),
    change: z.enum(['added', 'ready', 'rejected', 'deleted', 'quarantined', 'quarantine-ended', 'set-aside']),
    attachment: transcriptAttachmentSchema,
    /** Only for an added attachment. */
    origin: attachmentOriginSchema.optional(),
    /** The agent whose model refused it, or for which it was set aside, and the reason; its target, where it was refused. */
    agentId: agentId.optional(),
    target: targetSchema.optional(),
    code: z.string().optional(),
  })
  .register(apiSchemas, { id: 'AttachmentEntry', description: 'What became of a file.' });

const agentEntrySchema = z
  .object({
    ...frame,
    type: z.literal('agent'),
    change: z.enum(['added', 'target-changed']),
    agentId,
    target: targetSchema,
    /** Only for an added agent. */
    name: z.string().optional(),
    role: agentRoleSchema.optional(),
  })
  .register(apiSchemas, { id: 'AgentEntry', description: 'An agent that was added or got another target.' });

const sessionEntrySchema = z
  .object({ ...frame, type: z.literal('session'), change: z.literal('ended') })
  .register(apiSchemas, { id: 'SessionEntry', description: 'The end of the session.' });

/** Its place and kind alone. */
const unreadableEntrySchema = z
  .object({
    seq: frame.seq,
    at: frame.at,
    type: z.literal('unreadable'),
    kind: z.string().describe('The kind of the event, as it was written.'),
    schemaVersion: z.int(),
    reason: unreadableReasonSchema,
  })
  .register(apiSchemas, { id: 'UnreadableEntry', description: 'An event that this release cannot read.' });

/**
 * The log folded for people. Made by ingest, read by callers. Holds texts and names of people and agents, so it is never logged; no base64 and no path, and no
 * text that Attaché wrote for a model (RP-06), unless an agent's program repeats one as the text of a tool call.
 */
export const transcriptEntrySchema = z
  .discriminatedUnion('type', [
    messageEntrySchema,
    agentItemEntrySchema,
    toolCallEntrySchema,
    viewEntrySchema,
    deliveryEntrySchema,
    attachmentEntrySchema,
    agentEntrySchema,
    sessionEntrySchema,
    unreadableEntrySchema,
  ])
  .register(apiSchemas, {
    id: 'TranscriptEntry',
    description: 'One entry of the transcript: an event of the log for people, by its `type`.',
    examples: [dto['dto.transcript-entry.agent.output']],
  });
export type TranscriptEntry = z.infer<typeof transcriptEntrySchema>;
