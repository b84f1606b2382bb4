import { z } from 'zod';
import { actorSchema } from '../access/actor.ts';
import { attachmentKindSchema, attachmentOriginSchema, attachmentStatusSchema } from '../delivery/attachment.ts';
import { receiptSchema } from '../delivery/delivery.ts';
import { failureCodeSchema, failureSchema } from '../delivery/failure.ts';
import { idSchema } from '../ids.ts';
import { agentRoleSchema } from '../session/session.ts';
import { targetSchema } from '../session/target.ts';
import { timeSchema } from '../versions.ts';
import { agentOutputItemSchema, eventDataSchemas, resourceViewSchema } from './events.ts';

const agentId = idSchema('agent');

/** What is said of an attachment in a transcript, as it is when the transcript is read. Of one that is `deleted` or `unknown` only the id. */
export const transcriptAttachmentSchema = z.object({
  id: idSchema('attachment'),
  status: z.enum([...attachmentStatusSchema.options, 'deleted', 'unknown']),
  name: z.string().optional(),
  mimeType: z.string().optional(),
  kind: attachmentKindSchema.optional(),
  sizeBytes: z.int().nonnegative().optional(),
  sha256: z.string().length(64).optional(),
  /** Why it was rejected. */
  failureCode: failureCodeSchema.optional(),
});
export type TranscriptAttachment = z.infer<typeof transcriptAttachmentSchema>;

/** `seq`, `at` and `actor` are those of the event that it was made of. */
const frame = { seq: z.int().positive(), at: timeSchema, actor: actorSchema };

/** Why an event is shown only as such. `malformed`: its data fits no form that this release knows, or could not be lifted from an older one. */
export const unreadableReasonSchema = z.enum(['newer-version', 'unknown-kind', 'malformed']);
export type UnreadableReason = z.infer<typeof unreadableReasonSchema>;

/**
 * One entry of a session's transcript: the log folded for people. Made by ingest, read by callers. Holds texts and names of people and agents, so it is
 * never logged; no base64 and no path, and no text that Attaché wrote for a model (RP-06), unless an agent's program repeats one as the text of a tool call.
 */
export const transcriptEntrySchema = z.discriminatedUnion('type', [
  z.object({
    ...frame,
    type: z.literal('message'),
    messageId: idSchema('message'),
    to: z.array(agentId),
    /** The message's own; absent where it was erased. */
    text: z.string().optional(),
    attachments: z.array(transcriptAttachmentSchema),
    deliveryIds: z.array(idSchema('delivery')),
    leftOut: eventDataSchemas['message.accepted'].shape.leftOut,
  }),
  z.object({
    ...frame,
    type: z.literal('agent-item'),
    agentId,
    deliveryId: idSchema('delivery').optional(),
    item: agentOutputItemSchema,
    /** Of an item of media. */
    attachment: transcriptAttachmentSchema.optional(),
  }),
  z.object({
    ...frame,
    type: z.literal('tool-call'),
    agentId,
    callId: z.string(),
    tool: z.string(),
    status: z.enum(['called', 'blocked', 'completed']),
    /** Why it was blocked. */
    reason: z.string().optional(),
    /** How it ended, in the words of the program. */
    outcome: z.string().optional(),
  }),
  z.object({
    ...frame,
    type: z.literal('view'),
    agentId,
    attachment: transcriptAttachmentSchema,
    variantId: idSchema('variant').optional(),
    view: resourceViewSchema.optional(),
  }),
  z.object({
    ...frame,
    type: z.literal('delivery'),
    deliveryId: idSchema('delivery'),
    messageId: idSchema('message'),
    agentId,
    attempt: z.int().positive(),
    status: z.enum(['written', 'responded', 'failed', 'cancelled']),
    receipt: receiptSchema.optional(),
    failure: failureSchema.optional(),
    /** What was not taken, although the turn was answered. */
    diagnostic: failureSchema.optional(),
  }),
  z.object({
    ...frame,
    type: z.literal('attachment'),
    change: z.enum(['added', 'ready', 'rejected', 'deleted', 'quarantined', 'quarantine-ended']),
    attachment: transcriptAttachmentSchema,
    /** Of one that was added. */
    origin: attachmentOriginSchema.optional(),
    /** Whose model refused it, which one, and why. */
    agentId: agentId.optional(),
    target: targetSchema.optional(),
    code: z.string().optional(),
  }),
  z.object({
    ...frame,
    type: z.literal('agent'),
    change: z.enum(['added', 'target-changed']),
    agentId,
    target: targetSchema,
    /** Of one that was added. */
    name: z.string().optional(),
    role: agentRoleSchema.optional(),
  }),
  z.object({ ...frame, type: z.literal('session'), change: z.literal('ended') }),
  /** An event that this release cannot read, by its place and kind alone. */
  z.object({
    seq: frame.seq,
    at: frame.at,
    type: z.literal('unreadable'),
    kind: z.string(),
    schemaVersion: z.int(),
    reason: unreadableReasonSchema,
  }),
]);
export type TranscriptEntry = z.infer<typeof transcriptEntrySchema>;
