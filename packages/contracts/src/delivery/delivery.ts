import { z } from 'zod';
import dto from '../../golden/v1/dto.json' with { type: 'json' };
import { actorSchema } from '../access/actor.ts';
import { apiSchemas } from '../api-schemas.ts';
import { idSchema } from '../ids.ts';
import { schemaVersionSchema, timeSchema } from '../versions.ts';
import { failureCodeSchema, failureSchema, warningSchema } from './failure.ts';
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
export const deliveryStatusSchema = z.enum(deliveryStatuses).register(apiSchemas, {
  id: 'DeliveryStatus',
  description: 'How far the delivery came. `written`: the last byte of the prompt was taken for the agent.',
});
export type DeliveryStatus = z.infer<typeof deliveryStatusSchema>;

/** The runtime's; its provider's where the runtime reports none and the program asks by the relay. */
export const usageSchema = z
  .object({
    inputTokens: z.int().nonnegative().optional().describe('Tokens that models read, what came from a cache included.'),
    outputTokens: z.int().nonnegative().optional().describe('Tokens that models wrote, thoughts included.'),
    totalTokens: z.int().nonnegative().optional().describe('Input and output together.'),
  })
  .register(apiSchemas, { id: 'Usage', description: 'What the runtime or the provider counted.' });
export type Usage = z.infer<typeof usageSchema>;

/** Requests to models, errands included, are seen where the program asks by the relay. */
export const turnUsageSchema = usageSchema
  .extend({
    /** Absent if no provider counted. */
    cachedInputTokens: z
      .int()
      .nonnegative()
      .optional()
      .describe('Of the input tokens, those that the provider read from a cache.'),
    /** They had ended when the turn did. */
    requests: z.int().nonnegative().optional().describe('Generating requests that left whole for a provider.'),
    /**
     * As encoded in the body: what the agent's last accepted request in one of its own turns already held when each request began. Calls, thoughts,
     * instructions and tools do not count, nor does anything that an earlier process sent.
     */
    resentBytes: z
      .int()
      .nonnegative()
      .optional()
      .describe('Bytes of texts, media and results of tools that these requests sent once more.'),
  })
  .register(apiSchemas, {
    id: 'TurnUsage',
    description: 'What the runtime or the provider counted, and what was seen of the turn’s requests to models.',
  });
export type TurnUsage = z.infer<typeof turnUsageSchema>;

const wireProofSchema = z
  .object({
    sha256: z.string().length(64),
    sizeBytes: z.int().nonnegative(),
    altered: z.boolean().describe('Whether they are other bytes than those that we sent.'),
  })
  .register(apiSchemas, { id: 'WireProof', description: 'What left for the provider.' });

export const receiptItemSchema = z
  .object({
    attachmentId: idSchema('attachment'),
    variantId: idSchema('variant').optional(),
    /** Digest of the bytes that we sent; absent if the agent got none, for example a file that it could read by tool and did not. */
    sha256: z.string().length(64).optional(),
    /** Size of the same bytes; absent if their digest is. */
    sizeBytes: z.int().nonnegative().optional(),
    form: planFormSchema.describe('In which form it was sent.'),
    verdict: z.enum(['delivered', 'refused', 'dropped', 'unknown']).describe('What became of it.'),
    /** The evidence for the verdict: `wire` for the request that left for the provider; otherwise a text about what the transport or a tool showed. */
    proof: z.string().optional().describe('What shows it.'),
    wire: wireProofSchema.optional().describe('What left for the provider.'),
    /** An item without bytes names the pages that were left out. */
    warnings: z.array(warningSchema).optional().describe('What the sent bytes do not show.'),
  })
  .register(apiSchemas, { id: 'ReceiptItem', description: 'What was sent of one attachment.' });
export type ReceiptItem = z.infer<typeof receiptItemSchema>;

/** An agent continues from its program's own memory, from a checkpoint of that, from its history in the log, or without any history, since there was none. */
export const continuedBySchema = z
  .enum(['resume', 'checkpoint', 'rebuild', 'fresh'])
  .describe('How the agent continued when its process started.');
export type ContinuedBy = z.infer<typeof continuedBySchema>;

/** The receipt of BX-03. Made by the gateway, read by callers. Holds no content, base64 or path; may be logged. */
export const receiptSchema = z
  .object({
    writtenAt: timeSchema.describe('When the last byte of the prompt was taken for the agent.'),
    respondedAt: timeSchema.optional().describe('When the runtime said that the turn has ended.'),
    /** Such as `acp/stdio`. */
    transport: z.string().describe('The runtime’s protocol and channel.'),
    /** Evidence of the transport, e.g. the id and stop reason of the answered request. */
    proof: z.string().describe('What shows it.'),
    items: z.array(receiptItemSchema).describe('What was sent of each attachment.'),
    usage: turnUsageSchema.optional().describe('What was counted.'),
    /** In the first turn of a process. */
    continuedBy: continuedBySchema.optional(),
  })
  .register(apiSchemas, { id: 'Receipt', description: 'Proof of what was sent to one agent.' });
export type Receipt = z.infer<typeof receiptSchema>;

export const transitionSchema = z
  .object({
    at: timeSchema,
    status: deliveryStatusSchema,
    actor: actorSchema,
    epoch: z.int().nonnegative().optional(),
    attempt: z.int().positive(),
    traceId: z.string(),
    code: failureCodeSchema.optional(),
  })
  .register(apiSchemas, { id: 'Transition', description: 'One step of the delivery.' });
export type Transition = z.infer<typeof transitionSchema>;

/** `owner`: no gateway owns the session, or it is moving to another gateway. */
const waitsForSchema = z
  .enum(['agent', 'slot', 'program', 'owner'])
  .describe(
    'What it waits for now: `agent`, which has earlier ones to take; `slot`, since every gateway that has its program is full or the tenant runs as many agents as it may; `program`, which no gateway has; `owner`, a gateway that takes the session. Absent: for none of these.',
  );

/** The states are those of DL-61. Made by ingest, moved by all services, read by callers. Holds no base64 and no path; may be logged. */
export const deliverySchema = z
  .object({
    id: idSchema('delivery'),
    messageId: idSchema('message'),
    agentId: idSchema('agent'),
    status: deliveryStatusSchema,
    /** As it was when it was asked. */
    waitsFor: waitsForSchema.optional(),
    attempts: z.int().positive().describe('How often it was tried.'),
    plan: deliveryPlanSchema.describe('What each attachment becomes.'),
    failure: failureSchema.optional(),
    receipt: receiptSchema.optional(),
    traceId: z.string(),
    timeline: z.array(transitionSchema).describe('Every step of the delivery.'),
    schemaVersion: schemaVersionSchema,
  })
  .register(apiSchemas, {
    id: 'Delivery',
    description: 'One message to one agent, with its plan, receipt and timeline.',
    examples: [dto['dto.delivery']],
  });
export type Delivery = z.infer<typeof deliverySchema>;
