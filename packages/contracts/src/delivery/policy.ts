import { z } from 'zod';
import { idSchema } from '../ids.ts';
import { agentNameSchema, conversionsSchema } from '../session/session.ts';
import { targetSchema } from '../session/target.ts';
import { attachmentKindSchema } from './attachment.ts';
import { triStateSchema } from './capability.ts';

/** What one target takes of one kind. An absent limit is not known. */
export const acceptedKindSchema = z.object({
  kind: attachmentKindSchema,
  /** Whether a file of this kind reaches the model as a part of a message. `unknown` is not sent, unless an override says so. */
  accepted: triStateSchema,
  /** Types that go as they are. Others of the kind are converted first, where the session allows conversions. */
  mimeTypes: z.array(z.string()),
  /** Bytes of one file. */
  maxBytes: z.int().positive().optional(),
  /** Files of one request. */
  maxCount: z.int().positive().optional(),
  /** Pages of all documents of a request together. */
  maxPages: z.int().positive().optional(),
  maxEdgePixels: z.int().positive().optional(),
  maxPixels: z.int().positive().optional(),
});
export type AcceptedKind = z.infer<typeof acceptedKindSchema>;

/** What one agent takes, of each kind. */
export const policyAgentSchema = z.object({
  agentId: idSchema('agent'),
  name: agentNameSchema,
  target: targetSchema,
  accepts: z.array(acceptedKindSchema),
  /** Whether the agent can read by a tool what no message brings it. */
  tools: triStateSchema,
  /** Bytes of one request to the model, its history included. */
  maxRequestBytes: z.int().positive().optional(),
});

/**
 * What a composer of messages may offer in a session, now. Made by ingest, read by callers. Holds no base64 and no path; may be logged. A message is judged when it is
 * planned and sent: this says in advance what is refused for certain.
 */
export const sessionPolicySchema = z.object({
  sessionId: idSchema('session'),
  status: z.enum(['active', 'ended']),
  conversions: conversionsSchema,
  /** Bytes of one upload. */
  maxUploadBytes: z.int().positive(),
  /** Bytes that the tenant may still store; null where it has no quota. */
  quotaLeftBytes: z.int().nonnegative().nullable(),
  agents: z.array(policyAgentSchema),
});
export type SessionPolicy = z.infer<typeof sessionPolicySchema>;
