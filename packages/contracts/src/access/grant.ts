import { z } from 'zod';
import dto from '../../golden/v1/dto.json' with { type: 'json' };
import { apiSchemas } from '../api-schemas.ts';
import { idSchema } from '../ids.ts';
import { schemaVersionSchema, timeSchema } from '../versions.ts';

export const grantRightSchema = z
  .enum(['read'])
  .register(apiSchemas, { id: 'GrantRight', description: 'What the agent may do with the attachment.' });

const grantRightsSchema = z.array(grantRightSchema).min(1).max(grantRightSchema.options.length);

/** A grant holds until it is revoked or expires. Made by ingest, read by callers; holds ids alone and may be logged. */
export const grantSchema = z
  .object({
    id: idSchema('grant'),
    attachmentId: idSchema('attachment'),
    agentId: idSchema('agent'),
    rights: grantRightsSchema,
    expiresAt: timeSchema.optional(),
    createdAt: timeSchema,
    schemaVersion: schemaVersionSchema,
  })
  .register(apiSchemas, {
    id: 'Grant',
    description: 'The right of an agent to an attachment.',
    examples: [dto['dto.grant']],
  });
export type Grant = z.infer<typeof grantSchema>;

export const createGrantRequestSchema = z
  .strictObject({
    attachmentId: idSchema('attachment'),
    agentId: idSchema('agent'),
    rights: grantRightsSchema,
    expiresAt: timeSchema.optional(),
  })
  .register(apiSchemas, {
    id: 'CreateGrantRequest',
    description: 'A new grant.',
    examples: [
      {
        attachmentId: 'att_AZmhssPUfl-KawAAAAAAAw',
        agentId: 'agt_AZmhssPUfl-KawAAAAAAAg',
        rights: ['read'],
      },
    ],
  });
export type CreateGrantRequest = z.infer<typeof createGrantRequestSchema>;
