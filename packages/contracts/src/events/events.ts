import { z } from 'zod';
import { actorSchema } from '../access/actor.ts';
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
const grantId = idSchema('grant');

const deliveryData = z.object({ deliveryId, messageId, agentId, attempt: z.int().positive() });

/** One finished item of an agent's output. Media in it is already replaced by markers (SR-24). */
export const agentOutputItemSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('thought'), text: z.string() }),
  z.object({
    type: z.literal('tool-call'),
    callId: z.string(),
    title: z.string(),
    status: z.string(),
    text: z.string().optional(),
  }),
  z.object({ type: z.literal('media'), attachmentId, mimeType: z.string() }),
  z.object({ type: z.literal('usage'), usage: usageSchema }),
]);
export type AgentOutputItem = z.infer<typeof agentOutputItemSchema>;

/** What an agent asked to see of an attachment; all of it where nothing is named. */
export const resourceViewSchema = z.object({
  /** From 1. */
  page: z.int().positive().optional(),
  crop: cropSchema.optional(),
  maxEdgePixels: z.int().positive().optional(),
  /** In characters. */
  textRange: z.object({ offset: z.int().nonnegative(), length: z.int().positive() }).optional(),
});
export type ResourceView = z.infer<typeof resourceViewSchema>;

/** Data of every kind of session-log event that this release writes. Names and texts of people stand in rows of their own. */
export const eventDataSchemas = {
  'session.created': z.object({ agentIds: z.array(agentId) }),
  'session.ended': z.object({}),
  /** Nothing of it is delivered until an operator lets it continue. `deaths`: gateways in a row that died while a delivery of it was under way. */
  'session.parked': z.object({ deaths: z.int().positive() }),
  'agent.added': z.object({ agentId, name: z.string(), role: agentRoleSchema, target: targetSchema }),
  'agent.target_changed': z.object({
    agentId,
    from: targetSchema,
    to: targetSchema,
    /** What became of deliveries that were not written yet. */
    deliveries: z.array(z.object({ deliveryId, decision: z.enum(['deliver', 'blocked']) })),
  }),
  /** What is not known of a model was sent all the same, because someone who may said so for one message. */
  'capability.overridden': z.object({ messageId, targets: z.array(targetSchema.extend({ agentId })) }),
  /** `continuedBy`: what is tried; the receipt of its first turn says what held. */
  'agent.started': z.object({ agentId, epoch: z.int().positive(), continuedBy: continuedBySchema.optional() }),
  /**
   * Its process remembers nothing, and got the history that the log tells with its first message. `messages` are in it; `omittedMessages`, the oldest,
   * found no room. `historySha256` is in each delimiter of the block.
   */
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
    ]),
    messages: z.int().nonnegative(),
    omittedMessages: z.int().nonnegative(),
    keptOriginals: z.int().nonnegative(),
    historySha256: z.string().length(64),
  }),
  /**
   * The files that its program needs to continue the conversation are stored as they were after this delivery: `sizeBytes` of files, which added `storedBytes` to the store.
   * `refused`: nothing is, and why; that is said once per process.
   */
  'agent.checkpointed': z.object({
    agentId,
    deliveryId,
    files: z.int().nonnegative(),
    sizeBytes: z.int().nonnegative(),
    storedBytes: z.int().nonnegative(),
    refused: z.enum(['secret-found', 'too-large', 'no-room', 'unreadable']).optional(),
  }),
  /** A process begins with the files of a checkpoint, in a folder where they were missing. */
  'agent.restored': z.object({ agentId, files: z.int().nonnegative(), sizeBytes: z.int().nonnegative() }),
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
    ]),
    exitCode: z.int().optional(),
    signal: z.string().optional(),
    /** Last lines of standard error, redacted. */
    diagnostic: z.string().optional(),
  }),
  'attachment.added': z.object({
    attachmentId,
    kind: attachmentKindSchema,
    mimeType: z.string(),
    sizeBytes: z.int().nonnegative(),
    sha256: z.string().length(64),
    origin: attachmentOriginSchema,
    source: attachmentSourceSchema.optional(),
  }),
  'attachment.ready': z.object({
    attachmentId,
    kind: attachmentKindSchema,
    mimeType: z.string(),
    facts: attachmentFactsSchema,
  }),
  'attachment.rejected': z.object({ attachmentId, failure: failureSchema }),
  'attachment.deleted': z.object({ attachmentId }),
  /** `code`: why the model refused it. `group`: the provider did not say which part it refused; all that was new in that turn was taken out. */
  'attachment.quarantined': z.object({
    attachmentId,
    agentId,
    target: targetSchema,
    code: z.string(),
    wireSha256: z.string().length(64),
    group: z.literal(true).optional(),
  }),
  'attachment.quarantine_ended': z.object({ attachmentId, agentId }),
  'message.accepted': z.object({
    messageId,
    to: z.array(agentId),
    attachmentIds: z.array(attachmentId),
    deliveryIds: z.array(deliveryId),
    /** Agents that were named and get nothing, where that was asked for. */
    leftOut: z.array(z.object({ agentId, codes: z.array(failureCodeSchema) })).optional(),
  }),
  'delivery.queued': deliveryData,
  'delivery.prepared': deliveryData,
  'delivery.claimed': deliveryData.extend({ epoch: z.int().positive() }),
  'delivery.written': deliveryData.extend({ epoch: z.int().positive() }),
  'delivery.responded': deliveryData.extend({
    epoch: z.int().positive(),
    receipt: receiptSchema,
    /** What the runtime or its provider would not take, although the turn was answered. */
    diagnostic: failureSchema.optional(),
  }),
  'delivery.failed': deliveryData.extend({ failure: failureSchema }),
  'delivery.cancelled': deliveryData,
  'agent.output': z.object({ agentId, deliveryId: deliveryId.optional(), item: agentOutputItemSchema }),
  'tool.called': z.object({ agentId, callId: z.string(), tool: z.string() }),
  'tool.blocked': z.object({ agentId, callId: z.string(), tool: z.string(), reason: z.string() }),
  'tool.completed': z.object({ agentId, callId: z.string(), tool: z.string(), status: z.string() }),
  'resource.viewed': z.object({
    agentId,
    attachmentId,
    variantId: idSchema('variant').optional(),
    view: resourceViewSchema.optional(),
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

/** A token delta: sent to live followers only, never stored, without a seq. */
export const outputDeltaSchema = z.object({
  agentId,
  deliveryId: deliveryId.optional(),
  type: z.enum(['text', 'thought']),
  text: z.string(),
});
export type OutputDelta = z.infer<typeof outputDeltaSchema>;
