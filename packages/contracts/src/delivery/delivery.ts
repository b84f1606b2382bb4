import { z } from 'zod';
import { actorSchema } from '../access/actor.ts';
import { idSchema } from '../ids.ts';
import { schemaVersionSchema, timeSchema } from '../versions.ts';
import { failureCodeSchema, failureSchema } from './failure.ts';
import { deliveryPlanSchema, planFormSchema } from './plan.ts';

export const deliveryStatuses = [
  'queued',
  'prepared',
  'claimed',
  'written',
  'responded',
  'failed',
  'cancelled',
] as const;
export const deliveryStatusSchema = z.enum(deliveryStatuses);
export type DeliveryStatus = z.infer<typeof deliveryStatusSchema>;

/** Counts as the runtime reports them; where it reports none and the program asks by the relay, as its provider counted them. */
export const usageSchema = z.object({
  inputTokens: z.int().nonnegative().optional(),
  outputTokens: z.int().nonnegative().optional(),
  totalTokens: z.int().nonnegative().optional(),
});
export type Usage = z.infer<typeof usageSchema>;

/** The same with what was seen of the turn's requests to models, errands included. There where the program asks by the relay. */
export const turnUsageSchema = usageSchema.extend({
  /** Of the provider's input tokens, those that it read from a cache. Absent where no provider counted. */
  cachedInputTokens: z.int().nonnegative().optional(),
  /** Generating requests that left whole for the provider and had ended when the turn did. */
  requests: z.int().nonnegative().optional(),
  /**
   * What these requests sent once more: the bytes, as they stood in the body, of texts, media and results of tools that the agent's last accepted request
   * of a turn of its own held already when each of them began. Calls, thoughts, instructions and tools do not count, nor what a process before this one
   * sent.
   */
  resentBytes: z.int().nonnegative().optional(),
});
export type TurnUsage = z.infer<typeof turnUsageSchema>;

export const receiptItemSchema = z.object({
  attachmentId: idSchema('attachment'),
  variantId: idSchema('variant').optional(),
  /** Of the bytes that we sent; absent where the agent got none: a file that it could read by tool and did not. */
  sha256: z.string().length(64).optional(),
  /** Of the same bytes; absent with their digest. */
  sizeBytes: z.int().nonnegative().optional(),
  form: planFormSchema,
  verdict: z.enum(['delivered', 'refused', 'dropped', 'unknown']),
  /** What shows the verdict: `wire`, the request that left for the provider; else what the transport or a tool shows, in words. */
  proof: z.string().optional(),
  /** What left for the provider; `altered`: other bytes than those that we sent. */
  wire: z.object({ sha256: z.string().length(64), sizeBytes: z.int().nonnegative(), altered: z.boolean() }).optional(),
});
export type ReceiptItem = z.infer<typeof receiptItemSchema>;

/**
 * How an agent continued when its process started: from its program's own memory, from a checkpoint of that, from its history in the log, or without any
 * history, since there was none.
 */
export const continuedBySchema = z.enum(['resume', 'checkpoint', 'rebuild', 'fresh']);
export type ContinuedBy = z.infer<typeof continuedBySchema>;

/** Proof of what was sent to one agent (BX-03). Made by the gateway, read by callers. Holds no content, base64 or path; may be logged. */
export const receiptSchema = z.object({
  writtenAt: timeSchema,
  respondedAt: timeSchema.optional(),
  /** The runtime's protocol and channel, e.g. `acp/stdio`. */
  transport: z.string(),
  /** What proves the transport, e.g. the id and stop reason of the answered request. */
  proof: z.string(),
  items: z.array(receiptItemSchema),
  usage: turnUsageSchema.optional(),
  /** In the first turn of a process. */
  continuedBy: continuedBySchema.optional(),
});
export type Receipt = z.infer<typeof receiptSchema>;

export const transitionSchema = z.object({
  at: timeSchema,
  status: deliveryStatusSchema,
  actor: actorSchema,
  epoch: z.int().nonnegative().optional(),
  attempt: z.int().positive(),
  traceId: z.string(),
  code: failureCodeSchema.optional(),
});
export type Transition = z.infer<typeof transitionSchema>;

/**
 * What a delivery waits for: `agent`, which has earlier ones to take; `slot`, since every gateway that has its program is full, or the tenant runs as many agents as
 * it may; `program`, which no gateway has; `owner`, since no gateway has the session, or it is on its way to another.
 */
export const waitsForSchema = z.enum(['agent', 'slot', 'program', 'owner']);
export type WaitsFor = z.infer<typeof waitsForSchema>;

/** One message to one agent. What `written` and `responded` mean: DL-61. Made by ingest, moved by all services, read by callers. Holds no base64 and no path; may be logged. */
export const deliverySchema = z.object({
  id: idSchema('delivery'),
  messageId: idSchema('message'),
  agentId: idSchema('agent'),
  status: deliveryStatusSchema,
  /** As it was when it was asked. Absent: for none of them. */
  waitsFor: waitsForSchema.optional(),
  attempts: z.int().positive(),
  plan: deliveryPlanSchema,
  failure: failureSchema.optional(),
  receipt: receiptSchema.optional(),
  traceId: z.string(),
  timeline: z.array(transitionSchema),
  schemaVersion: schemaVersionSchema,
});
export type Delivery = z.infer<typeof deliverySchema>;
