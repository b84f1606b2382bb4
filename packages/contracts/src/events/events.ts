import { z } from 'zod';
import dto from '../../golden/v1/dto.json' with { type: 'json' };
import { actorSchema } from '../access/actor.ts';
import { apiSchemas } from '../api-schemas.ts';
import {
  attachmentFactsSchema,
  attachmentKindSchema,
  attachmentOriginSchema,
  attachmentSourceSchema,
  cropSchema,
} from '../delivery/attachment.ts';
import { continuedBySchema, receiptSchema, usageSchema } from '../delivery/delivery.ts';
import { failureCodeSchema, failureSchema } from '../delivery/failure.ts';
import { idSchema } from '../ids.ts';
import { agentRoleSchema } from '../session/session.ts';
import { targetSchema } from '../session/target.ts';
import { schemaVersionSchema, timeSchema } from '../versions.ts';

const attachmentId = idSchema('attachment');
const agentId = idSchema('agent');
const messageId = idSchema('message');
const deliveryId = idSchema('delivery');
const grantId = idSchema('grant').describe('The grant that is meant.');

const fileCount = z.int().nonnegative().describe('How many files.');

const deliveryData = z.object({ deliveryId, messageId, agentId, attempt: z.int().positive() });

/** Media in it is already replaced by markers (SR-24). */
export const agentOutputItemSchema = z
  .discriminatedUnion('type', [
    z
      .object({ type: z.literal('text'), text: z.string() })
      .register(apiSchemas, { id: 'TextItem', description: 'What the agent says.' }),
    z
      .object({ type: z.literal('thought'), text: z.string() })
      .register(apiSchemas, { id: 'ThoughtItem', description: 'What the agent thinks.' }),
    z
      .object({
        type: z.literal('tool-call'),
        callId: z.string(),
        title: z.string().describe('What it is, in a few words.'),
        status: z.string(),
        text: z.string().optional(),
      })
      .register(apiSchemas, { id: 'ToolCallItem', description: 'A call of a tool, in the words of the program.' }),
    z
      .object({ type: z.literal('media'), attachmentId, mimeType: z.string() })
      .register(apiSchemas, { id: 'MediaItem', description: 'A file that the agent made.' }),
    z
      .object({ type: z.literal('usage'), usage: usageSchema.describe('What was counted.') })
      .register(apiSchemas, { id: 'UsageItem', description: 'What the turn cost.' }),
  ])
  .register(apiSchemas, { id: 'AgentOutputItem', description: 'One finished item of an agent’s output.' });
export type AgentOutputItem = z.infer<typeof agentOutputItemSchema>;

export const resourceViewSchema = z
  .object({
    page: z.int().positive().optional(),
    crop: cropSchema.optional().describe('The part of the source that it shows.'),
    maxEdgePixels: z.int().positive().optional(),
    textRange: z
      .object({
        offset: z.int().nonnegative().describe('The first character.'),
        length: z.int().positive().describe('How many characters.'),
      })
      .optional()
      .describe('Part of a text, in characters.'),
  })
  .register(apiSchemas, { id: 'ResourceView', description: 'What an agent asked to see; all of it, if empty.' });
export type ResourceView = z.infer<typeof resourceViewSchema>;

/** Data of every kind of session-log event that this release writes. Names and texts of people are in rows of their own. */
export const eventDataSchemas = {
  'session.created': z.object({ agentIds: z.array(agentId).describe('The agents that the session began with.') }),
  'session.ended': z.object({}),
  /** Nothing of it is delivered until an operator lets it continue. */
  'session.parked': z.object({
    deaths: z.int().positive().describe('Gateways in a row that died while a delivery of the session was under way.'),
  }),
  'agent.added': z.object({ agentId, name: z.string(), role: agentRoleSchema, target: targetSchema }),
  'agent.target_changed': z.object({
    agentId,
    from: targetSchema.describe('What it was.'),
    to: targetSchema.describe('What it is now.'),
    deliveries: z
      .array(
        z.object({
          deliveryId,
          decision: z.enum(['deliver', 'blocked']).describe('`blocked`: nothing of it is sent.'),
        }),
      )
      .describe('The deliveries that were not written yet, with the new decision about each.'),
  }),
  /** An ability of the model was unknown, and the file was sent all the same because an authorised sender overrode it for one message. */
  'capability.overridden': z.object({
    messageId,
    targets: z.array(targetSchema.extend({ agentId })).describe('The models of which something is not known.'),
  }),
  /** `continuedBy`: what is tried; the receipt of its first turn says what held. */
  'agent.started': z.object({ agentId, epoch: z.int().positive(), continuedBy: continuedBySchema.optional() }),
  /** The history from the log comes with the first message of a process that remembers nothing. `historySha256` is in each delimiter of the block. */
  'agent.rebuilt': z.object({
    agentId,
    deliveryId,
    reason: z.enum([
      'no-transcript',
      'transcript-refused',
      'checkpoint-spoiled',
      'attachment-deleted',
      'target-changed',
      'context-full',
      'message-retried',
    ]),
    messages: z.int().nonnegative().describe('How many messages it tells of.'),
    omittedMessages: z.int().nonnegative().describe('How many older ones found no room.'),
    keptOriginals: z.int().nonnegative().describe('How many files went again with it.'),
    historySha256: z.string().length(64).describe('SHA-256 of the history that the agent received.'),
  }),
  /** The files that the program needs to continue the conversation are stored as they were after this delivery. */
  'agent.checkpointed': z.object({
    agentId,
    deliveryId,
    files: fileCount,
    sizeBytes: z.int().nonnegative(),
    storedBytes: z.int().nonnegative().describe('How many bytes were added to the store for it.'),
    /** It is reported once per process. */
    refused: z
      .enum(['secret-found', 'too-large', 'no-room', 'unreadable'])
      .optional()
      .describe('Why nothing is stored; absent where something is.'),
  }),
  /** A process begins with the files of a checkpoint, in a folder where they were missing. */
  'agent.restored': z.object({ agentId, files: fileCount, sizeBytes: z.int().nonnegative() }),
  'agent.stopped': z.object({
    agentId,
    reason: z.enum([
      'removed',
      'session-ended',
      'idle',
      'crashed',
      'shutdown',
      'stalled',
      'owner-lost',
      'target-changed',
      'context-full',
      'attachment-deleted',
      'memory-lost',
      'message-retried',
    ]),
    exitCode: z.int().optional().describe('What the process ended with.'),
    signal: z.string().optional().describe('What ended the process.'),
    /** Last lines of standard error. */
    diagnostic: z.string().optional(),
  }),
  'attachment.added': z.object({
    attachmentId,
    kind: attachmentKindSchema,
    mimeType: z.string(),
    sizeBytes: z.int().nonnegative(),
    sha256: z.string().length(64),
    origin: attachmentOriginSchema,
    source: attachmentSourceSchema.optional().describe('How the file was brought in.'),
  }),
  'attachment.ready': z.object({
    attachmentId,
    kind: attachmentKindSchema,
    mimeType: z.string(),
    facts: attachmentFactsSchema.describe('What inspection found.'),
  }),
  'attachment.rejected': z.object({ attachmentId, failure: failureSchema }),
  'attachment.deleted': z.object({ attachmentId }),
  /** `code`: why the model refused it. */
  'attachment.quarantined': z.object({
    attachmentId,
    agentId,
    target: targetSchema,
    code: z.string(),
    wireSha256: z.string().length(64).describe('SHA-256 of what left for the provider.'),
    group: z
      .literal(true)
      .optional()
      .describe('The provider did not say which part it refused: all that was new in that turn was taken out.'),
  }),
  'attachment.quarantine_ended': z.object({ attachmentId, agentId }),
  'attachment.set_aside': z.object({
    attachmentId,
    agentId,
    reason: z
      .enum(['too_many_images', 'request_too_large', 'left_out_by_program'])
      .describe(
        'The limit of its model that the conversation was above: its count of images, or the size of a request. Or the program has left the file out of the conversation by itself.',
      ),
  }),
  'message.accepted': z.object({
    messageId,
    to: z.array(agentId),
    attachmentIds: z.array(attachmentId),
    deliveryIds: z.array(deliveryId).describe('One delivery for each agent.'),
    leftOut: z
      .array(z.object({ agentId, codes: z.array(failureCodeSchema).describe('Why they get nothing.') }))
      .optional()
      .describe('The named agents that get nothing, where the sender allowed it.'),
  }),
  'delivery.queued': deliveryData,
  'delivery.prepared': deliveryData,
  'delivery.claimed': deliveryData.extend({ epoch: z.int().positive() }),
  'delivery.written': deliveryData.extend({ epoch: z.int().positive() }),
  'delivery.responded': deliveryData.extend({
    epoch: z.int().positive(),
    receipt: receiptSchema,
    /** The content that the runtime or its provider refused, although it answered the turn. */
    diagnostic: failureSchema.optional(),
  }),
  'delivery.failed': deliveryData.extend({ failure: failureSchema }),
  'delivery.cancelled': deliveryData,
  'agent.output': z.object({
    agentId,
    deliveryId: deliveryId.optional(),
    item: agentOutputItemSchema.describe('What the agent said.'),
  }),
  'tool.called': z.object({ agentId, callId: z.string(), tool: z.string() }),
  'tool.blocked': z.object({ agentId, callId: z.string(), tool: z.string(), reason: z.string() }),
  'tool.completed': z.object({ agentId, callId: z.string(), tool: z.string(), status: z.string() }),
  'resource.viewed': z.object({
    agentId,
    attachmentId,
    variantId: idSchema('variant').optional(),
    view: resourceViewSchema.optional().describe('The part that it asked for; all, if absent.'),
  }),
  'grant.created': z.object({ grantId, attachmentId, agentId, messageId: messageId.optional() }),
  'grant.revoked': z.object({ grantId, attachmentId, agentId }),
} as const;

export type EventKind = keyof typeof eventDataSchemas;
export type EventData<K extends EventKind> = z.infer<(typeof eventDataSchemas)[K]>;
export const eventKinds = Object.keys(eventDataSchemas) as EventKind[];

/** One event of the session log as it is on the wire. Made by all services, read by callers. `data` fits the schema of its kind; no base64, no path; words of agents are never logged. */
export const sessionEventSchema = z.object({
  id: idSchema('event'),
  seq: z.int().positive(),
  at: timeSchema,
  kind: z.enum(eventKinds as [EventKind, ...EventKind[]]),
  actor: actorSchema,
  traceId: z.string(),
  schemaVersion: schemaVersionSchema,
  data: z.record(z.string(), z.unknown()),
});
export type SessionEvent = z.infer<typeof sessionEventSchema>;

/** Events that were just committed to the log of one session, in its order: what live followers are fed. Never stored; may be lost. The tenant by its uuid. */
export const liveEventsSchema = z.object({ tenantId: z.uuid(), events: z.array(sessionEventSchema).min(1) });
export type LiveEvents = z.infer<typeof liveEventsSchema>;

/** Never stored, and without a seq. */
export const outputDeltaSchema = z
  .object({
    agentId,
    deliveryId: deliveryId.optional(),
    type: z.enum(['text', 'thought']),
    text: z.string(),
  })
  .register(apiSchemas, {
    id: 'OutputDelta',
    description: 'A piece of what an agent says, as the gateway hands it to those who serve live followers.',
    examples: [dto['dto.output-delta']],
  });
export type OutputDelta = z.infer<typeof outputDeltaSchema>;
