import { z } from 'zod';
import { apiSchemas } from '../api-schemas.ts';
import { idSchema } from '../ids.ts';
import { agentNameSchema, conversionsSchema } from '../session/session.ts';
import { targetSchema } from '../session/target.ts';
import { attachmentKindSchema } from './attachment.ts';
import { triStateSchema } from './capability.ts';

/** An absent limit is not known. */
export const acceptedKindSchema = z
  .object({
    kind: attachmentKindSchema,
    /** Whether a file of this kind reaches the model as a part of a message. `unknown` is not sent, unless an override says so. */
    accepted: triStateSchema,
    /** Others of the kind are converted where the session allows conversions. */
    mimeTypes: z
      .array(z.string())
      .describe('Types that go as they are. Everything else is converted first, or blocked.'),
    maxBytes: z.int().positive().optional(),
    /** Files of one request. */
    maxCount: z.int().positive().optional().describe('How many in one message.'),
    maxPages: z.int().positive().optional(),
    maxEdgePixels: z.int().positive().optional(),
    maxPixels: z.int().positive().optional().describe('Pixels of one image.'),
  })
  .register(apiSchemas, { id: 'AcceptedKind', description: 'What a target takes of one kind of file.' });
export type AcceptedKind = z.infer<typeof acceptedKindSchema>;

export const policyAgentSchema = z
  .object({
    agentId: idSchema('agent'),
    name: agentNameSchema,
    target: targetSchema,
    accepts: z.array(acceptedKindSchema).describe('What it takes of each kind.'),
    /** Whether the agent can read by a tool what no message brings it. */
    tools: triStateSchema.describe(
      'Whether the agent can read what is granted to it by a tool of ours. Absent means no.',
    ),
    /** Bytes of one request to the model, its history included. */
    maxRequestBytes: z.int().positive().optional(),
  })
  .register(apiSchemas, { id: 'PolicyAgent', description: 'What one agent of the session takes.' });

/**
 * The choices that a message composer may offer in a session now. Made by ingest, read by callers. Holds no base64 and no path; may be logged. A message is
 * judged when it is planned and sent; the policy says in advance what is certain to be refused.
 */
export const sessionPolicySchema = z
  .object({
    sessionId: idSchema('session'),
    status: z.enum(['active', 'ended']),
    conversions: conversionsSchema,
    maxUploadBytes: z.int().positive().describe('Bytes of one upload, at most.'),
    quotaLeftBytes: z
      .int()
      .nonnegative()
      .nullable()
      .describe('Bytes that the tenant may still store; null where it has no quota.'),
    agents: z.array(policyAgentSchema),
  })
  .register(apiSchemas, { id: 'SessionPolicy', description: 'What may be sent in a session, now.' });
export type SessionPolicy = z.infer<typeof sessionPolicySchema>;
