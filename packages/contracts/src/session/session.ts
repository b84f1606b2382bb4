import { z } from 'zod';
import dto from '../../golden/v1/dto.json' with { type: 'json' };
import { rightSchema } from '../access/rights.ts';
import { apiSchemas } from '../api-schemas.ts';
import { idSchema } from '../ids.ts';
import { schemaVersionSchema, timeSchema } from '../versions.ts';
import { targetRequestSchema, targetSchema } from './target.ts';

export const agentRoleSchema = z
  .enum(['lead', 'member', 'secondary'])
  .register(apiSchemas, { id: 'AgentRole', description: 'What the agent is to the others of its session.' });
export type AgentRole = z.infer<typeof agentRoleSchema>;

/** Agents are named in lists and in files: a short label without blanks. */
export const agentNameSchema = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, 'must be 1–64 letters, digits, _ or -');

export const agentStatusSchema = z
  .enum(['idle', 'starting', 'busy', 'stopped'])
  .register(apiSchemas, { id: 'AgentStatus', description: 'What the agent does just now.' });
export type AgentStatus = z.infer<typeof agentStatusSchema>;

/** Made by ingest, read by every service and by callers. Holds no base64 and no path; may be logged. */
export const agentSchema = z
  .object({
    id: idSchema('agent'),
    name: agentNameSchema.describe('Its label in the session.'),
    role: agentRoleSchema,
    target: targetSchema,
    status: agentStatusSchema,
  })
  .register(apiSchemas, { id: 'Agent', description: 'A named agent of a session.', examples: [dto['dto.agent']] });
export type Agent = z.infer<typeof agentSchema>;

/** Else what is sent again holds descriptors (SR-05). */
export const replayPolicySchema = z
  .strictObject({
    originals: z
      .union([
        z.literal('none'),
        z
          .literal('untilCompaction')
          .meta({ description: 'Keeps the originals of all messages: nothing compacts a session in this release.' }),
        z.strictObject({ turns: z.int().positive().max(1000).describe('How many turns.') }),
      ])
      .describe('What is kept of originals: nothing, all, or those of the last turns.'),
  })
  .register(apiSchemas, {
    id: 'ReplayPolicy',
    description: 'How long what the system itself sends again keeps original files.',
  });
export type ReplayPolicy = z.infer<typeof replayPolicySchema>;

export const conversionsSchema = z.enum(['allow', 'deny']).register(apiSchemas, {
  id: 'Conversions',
  description: 'Whether files may be converted to what a model takes. `deny`: a file that would be is blocked.',
});

const externalUserIdSchema = z.string().min(1).max(200).describe('Your id of the user.');

export const participantRequestSchema = z
  .strictObject({
    externalUserId: externalUserIdSchema,
    rights: z.array(rightSchema).max(20),
  })
  .register(apiSchemas, { id: 'Participant', description: 'A user of yours who may take part.' });

export const agentRequestSchema = z
  .strictObject({
    name: agentNameSchema.describe('Its label: unique in the session.'),
    role: agentRoleSchema,
    target: targetRequestSchema,
  })
  .register(apiSchemas, {
    id: 'AgentRequest',
    description: 'A new agent.',
    examples: [{ name: 'critic', role: 'member', target: { profile: 'reviewer', model: 'claude-sonnet-5' } }],
  });
export type AgentRequest = z.infer<typeof agentRequestSchema>;

export const interruptRequestSchema = z.strictObject({ agentId: idSchema('agent') }).register(apiSchemas, {
  id: 'InterruptRequest',
  description: 'Which agent’s turn is to end.',
  examples: [{ agentId: 'agt_AZmhssPUfl-KawAAAAAAAg' }],
});

export const retargetRequestSchema = z.strictObject({ target: targetRequestSchema }).register(apiSchemas, {
  id: 'RetargetRequest',
  description: 'Another target for an agent.',
  examples: [{ target: { profile: 'example', model: 'example-text' } }],
});

const MAX_METADATA_KEYS = 100;

const metadataSchema = z
  .record(z.string().max(100), z.union([z.string().max(1000), z.number(), z.boolean(), z.null()]))
  .describe('Words and numbers of your own. They are kept and given back.');
const newMetadataSchema = metadataSchema
  .refine(
    (metadata) => Object.keys(metadata).length <= MAX_METADATA_KEYS,
    `must have at most ${MAX_METADATA_KEYS} keys`,
  )
  .meta({ maxProperties: MAX_METADATA_KEYS });

export const createSessionRequestSchema = z
  .strictObject({
    externalId: z.string().min(1).max(200).optional(),
    participants: z.array(participantRequestSchema).max(100).optional().describe('Users of yours who may take part.'),
    agents: z.array(agentRequestSchema).max(32),
    replayPolicy: replayPolicySchema
      .optional()
      .describe('How long what the system itself sends again keeps originals.'),
    conversions: conversionsSchema.optional(),
    metadata: newMetadataSchema.optional(),
  })
  .register(apiSchemas, {
    id: 'CreateSessionRequest',
    description: 'A new session, with its agents and the people who may take part.',
    examples: [
      {
        externalId: 'conversation-42',
        agents: [{ name: 'painter', role: 'lead', target: { profile: 'example' } }],
        participants: [{ externalUserId: 'user-7', rights: ['messages:send', 'attachments:write', 'events:read'] }],
        metadata: { team: 'design' },
      },
    ],
  });
export type CreateSessionRequest = z.infer<typeof createSessionRequestSchema>;

/** Made by ingest, read by callers. Holds no base64 and no path; `metadata` is the platform's own, so it is never logged. */
export const sessionSchema = z
  .object({
    id: idSchema('session'),
    externalId: z.string().optional(),
    status: z.enum(['active', 'ended']),
    agents: z.array(agentSchema),
    replayPolicy: replayPolicySchema.describe('How long what the system itself sends again keeps originals.'),
    conversions: conversionsSchema,
    metadata: metadataSchema,
    createdAt: timeSchema,
    schemaVersion: schemaVersionSchema,
  })
  .register(apiSchemas, {
    id: 'Session',
    description: 'One conversation, with its agents.',
    examples: [dto['dto.session']],
  });
export type Session = z.infer<typeof sessionSchema>;

export const createTokenRequestSchema = z
  .strictObject({
    externalUserId: externalUserIdSchema,
    rights: z.array(rightSchema).min(1).max(20),
    ttlSeconds: z.int().min(1).max(86_400).describe('For how many seconds it holds.'),
  })
  .register(apiSchemas, {
    id: 'CreateTokenRequest',
    description: 'A token for one participant of the session.',
    examples: [
      { externalUserId: 'user-7', rights: ['messages:send', 'attachments:write', 'events:read'], ttlSeconds: 3600 },
    ],
  });

export const endTokensRequestSchema = z
  .strictObject({ externalUserId: externalUserIdSchema.optional() })
  .register(apiSchemas, {
    id: 'EndTokensRequest',
    description: 'Whose tokens end: those of one participant, or all of the session.',
    examples: [{ externalUserId: 'user-7' }],
  });
export type EndTokensRequest = z.infer<typeof endTokensRequestSchema>;
