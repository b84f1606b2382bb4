import { z } from 'zod';
import { idSchema } from '../ids.ts';
import { schemaVersionSchema, timeSchema } from '../versions.ts';

/** What an agent may do with an attachment that is granted to it. */
export const grantRightSchema = z.enum(['read']);
export type GrantRight = z.infer<typeof grantRightSchema>;

const grantRightsSchema = z.array(grantRightSchema).min(1).max(grantRightSchema.options.length);

/** The right of an agent to an attachment, until it is revoked or expires. Made by ingest, read by callers; holds ids alone and may be logged. */
export const grantSchema = z.object({
  id: idSchema('grant'),
  attachmentId: idSchema('attachment'),
  agentId: idSchema('agent'),
  rights: grantRightsSchema,
  expiresAt: timeSchema.optional(),
  createdAt: timeSchema,
  schemaVersion: schemaVersionSchema,
});
export type Grant = z.infer<typeof grantSchema>;

export const createGrantRequestSchema = z.strictObject({
  attachmentId: idSchema('attachment'),
  agentId: idSchema('agent'),
  rights: grantRightsSchema,
  expiresAt: timeSchema.optional(),
});
export type CreateGrantRequest = z.infer<typeof createGrantRequestSchema>;
