import { z } from 'zod';
import { rightSchema } from '../access/rights.ts';
import { idSchema } from '../ids.ts';
import { schemaVersionSchema, timeSchema } from '../versions.ts';
import { targetRequestSchema, targetSchema } from './target.ts';

export const agentRoleSchema = z.enum(['lead', 'member', 'secondary']);
export type AgentRole = z.infer<typeof agentRoleSchema>;

/** Agents are named in lists and in files: a short label without blanks. */
export const agentNameSchema = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, 'must be 1–64 letters, digits, _ or -');

export const agentStatusSchema = z.enum(['idle', 'starting', 'busy', 'stopped']);
export type AgentStatus = z.infer<typeof agentStatusSchema>;

/** A named agent of a session. Made by ingest, read by every service and by callers. Holds no base64 and no path; may be logged. */
export const agentSchema = z.object({
  id: idSchema('agent'),
  name: agentNameSchema,
  role: agentRoleSchema,
  target: targetSchema,
  status: agentStatusSchema,
});
export type Agent = z.infer<typeof agentSchema>;

/** How long what the system itself sends again keeps originals (SR-05). Nothing compacts a session in this release: `untilCompaction` keeps all. */
export const replayPolicySchema = z.strictObject({
  originals: z.union([
    z.literal('none'),
    z
      .literal('untilCompaction')
      .meta({ description: 'Keeps the originals of all messages: nothing compacts a session in this release.' }),
    z.strictObject({ turns: z.int().positive().max(1000) }),
  ]),
});
export type ReplayPolicy = z.infer<typeof replayPolicySchema>;

export const conversionsSchema = z.enum(['allow', 'deny']);

export const externalUserIdSchema = z.string().min(1).max(200);

export const participantRequestSchema = z.strictObject({
  externalUserId: externalUserIdSchema,
  rights: z.array(rightSchema).max(20),
});

export const agentRequestSchema = z.strictObject({
  name: agentNameSchema,
  role: agentRoleSchema,
  target: targetRequestSchema,
});
export type AgentRequest = z.infer<typeof agentRequestSchema>;

/** Which agent's turn is to end. */
export const interruptRequestSchema = z.strictObject({ agentId: idSchema('agent') });

export const retargetRequestSchema = z.strictObject({ target: targetRequestSchema });

const MAX_METADATA_KEYS = 100;

const metadataSchema = z.record(
  z.string().max(100),
  z.union([z.string().max(1000), z.number(), z.boolean(), z.null()]),
);
const newMetadataSchema = metadataSchema
  .refine(
    (metadata) => Object.keys(metadata).length <= MAX_METADATA_KEYS,
    `must have at most ${MAX_METADATA_KEYS} keys`,
  )
  .meta({ maxProperties: MAX_METADATA_KEYS });

export const createSessionRequestSchema = z.strictObject({
  externalId: z.string().min(1).max(200).optional(),
  participants: z.array(participantRequestSchema).max(100).optional(),
  agents: z.array(agentRequestSchema).max(32),
  replayPolicy: replayPolicySchema.optional(),
  conversions: conversionsSchema.optional(),
  metadata: newMetadataSchema.optional(),
});
export type CreateSessionRequest = z.infer<typeof createSessionRequestSchema>;

/** One conversation. Made by ingest, read by callers. Holds no base64 and no path; `metadata` is the platform's own, so it is never logged. */
export const sessionSchema = z.object({
  id: idSchema('session'),
  externalId: z.string().optional(),
  status: z.enum(['active', 'ended']),
  agents: z.array(agentSchema),
  replayPolicy: replayPolicySchema,
  conversions: conversionsSchema,
  metadata: metadataSchema,
  createdAt: timeSchema,
  schemaVersion: schemaVersionSchema,
});
export type Session = z.infer<typeof sessionSchema>;

export const createTokenRequestSchema = z.strictObject({
  externalUserId: externalUserIdSchema,
  rights: z.array(rightSchema).min(1).max(20),
  ttlSeconds: z.int().min(1).max(86_400),
});

/** Whose tokens end: those of one participant, or all of the session. */
export const endTokensRequestSchema = z.strictObject({ externalUserId: externalUserIdSchema.optional() });
export type EndTokensRequest = z.infer<typeof endTokensRequestSchema>;
