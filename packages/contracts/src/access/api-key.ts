import { z } from 'zod';
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

export const apiKeyStatusSchema = z.enum(['active', 'expired', 'revoked']);

/** An API key without its secret, which is nowhere. Made by ingest and the operator, read by callers. Holds no base64 and no path; may be logged. `expiresAt` of a key that was rotated is the end of the overlap. */
export const apiKeySchema = z.object({
  id: idSchema('key'),
  name: z.string(),
  scopes: z.array(scopeSchema),
  /** Its `traceparent` becomes the parent of our spans. */
  trustedTrace: z.boolean(),
  status: apiKeyStatusSchema,
  createdAt: timeSchema,
  expiresAt: timeSchema.optional(),
  revokedAt: timeSchema.optional(),
  /** When it was last used, to the minute. */
  lastUsedAt: timeSchema.optional(),
  /** The key that this one replaces. */
  rotatedFrom: idSchema('key').optional(),
  schemaVersion: schemaVersionSchema,
});
export type ApiKey = z.infer<typeof apiKeySchema>;

/** The one answer that holds a secret. `secret` is the whole credential. */
export const newApiKeySchema = z.object({ key: apiKeySchema, secret: z.string() });
export type NewApiKey = z.infer<typeof newApiKeySchema>;

export const createKeyRequestSchema = z.strictObject({
  name: keyNameSchema,
  scopes: scopesSchema,
  expiresAt: timeSchema.optional(),
  trustedTrace: z.boolean().optional(),
});
export type CreateKeyRequest = z.infer<typeof createKeyRequestSchema>;

export const overlapSecondsSchema = z.int().min(0).max(MAX_OVERLAP_SECONDS);

export const rotateKeyRequestSchema = z.strictObject({ overlapSeconds: overlapSecondsSchema.optional() });
export type RotateKeyRequest = z.infer<typeof rotateKeyRequestSchema>;
