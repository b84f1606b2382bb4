import { z } from 'zod';
import dto from '../../golden/v1/dto.json' with { type: 'json' };
import { apiSchemas } from '../api-schemas.ts';
import { idSchema } from '../ids.ts';
import { schemaVersionSchema, timeSchema } from '../versions.ts';
import { scopeSchema } from './rights.ts';

/** How long a rotated key continues working, unless the rotation says otherwise. */
export const DEFAULT_OVERLAP_SECONDS = 3600;
const MAX_OVERLAP_SECONDS = 30 * 86_400;

/** A label for people: one line, no control or format characters. */
export const keyNameSchema = z
  .string()
  .min(1)
  .max(100)
  .regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u, 'must be one line of visible text');

export const scopesSchema = z.array(scopeSchema).min(1).max(scopeSchema.options.length);

export const apiKeyStatusSchema = z
  .enum(['active', 'expired', 'revoked'])
  .register(apiSchemas, { id: 'ApiKeyStatus', description: 'Whether the key works.' });

const trustedTraceSchema = z
  .boolean()
  .describe('Whether the `traceparent` of its requests becomes the parent of our spans.');

/** The secret of a key is stored nowhere. Made by ingest and the operator, read by callers. Holds no base64 and no path; may be logged. `expiresAt` of a key that was rotated is the end of the overlap. */
export const apiKeySchema = z
  .object({
    id: idSchema('key'),
    name: z.string(),
    scopes: z.array(scopeSchema).describe('Named sets of rights.'),
    trustedTrace: trustedTraceSchema,
    status: apiKeyStatusSchema,
    createdAt: timeSchema,
    expiresAt: timeSchema.optional(),
    revokedAt: timeSchema.optional().describe('When it was revoked.'),
    lastUsedAt: timeSchema.optional().describe('When it was last used, to the minute. Absent: never.'),
    rotatedFrom: idSchema('key').optional().describe('The key that this one replaces.'),
    schemaVersion: schemaVersionSchema,
  })
  .register(apiSchemas, {
    id: 'ApiKey',
    description: 'An API key without its secret.',
    examples: [dto['dto.api-key']],
  });
export type ApiKey = z.infer<typeof apiKeySchema>;

export const newApiKeySchema = z
  .object({
    key: apiKeySchema.describe('The key, without its secret.'),
    secret: z.string().describe('The whole credential. It is in this answer alone.'),
  })
  .register(apiSchemas, { id: 'NewApiKey', description: 'A key with its secret, which is in this answer alone.' });
export type NewApiKey = z.infer<typeof newApiKeySchema>;

export const createKeyRequestSchema = z
  .strictObject({
    name: keyNameSchema,
    scopes: scopesSchema.describe('Named sets of rights.'),
    expiresAt: timeSchema.optional(),
    trustedTrace: trustedTraceSchema.optional(),
  })
  .register(apiSchemas, {
    id: 'CreateKeyRequest',
    description: 'A new API key.',
    examples: [{ name: 'backend', scopes: ['sessions'] }],
  });
export type CreateKeyRequest = z.infer<typeof createKeyRequestSchema>;

export const overlapSecondsSchema = z.int().min(0).max(MAX_OVERLAP_SECONDS);

export const rotateKeyRequestSchema = z
  .strictObject({
    overlapSeconds: overlapSecondsSchema.optional().describe('How long the old key keeps working; an hour, if absent.'),
  })
  .register(apiSchemas, {
    id: 'RotateKeyRequest',
    description: 'How a key is replaced.',
    examples: [{ overlapSeconds: 3600 }],
  });
export type RotateKeyRequest = z.infer<typeof rotateKeyRequestSchema>;
