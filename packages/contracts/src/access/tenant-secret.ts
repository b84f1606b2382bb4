import { z } from 'zod';
import { schemaVersionSchema, timeSchema } from '../versions.ts';

/** Secrets of one tenant. */
export const MAX_SECRETS = 100;
export const MAX_SECRET_BYTES = 8 * 1024;

/** As a profile spells it behind `tenant:`. */
export const SECRET_NAME = '[A-Za-z0-9][A-Za-z0-9_-]{0,63}';

/** Names a secret inside its tenant. A label: nothing else is built from it. */
export const secretNameSchema = z
  .string()
  .regex(new RegExp(`^${SECRET_NAME}$`), 'must be 1–64 letters, digits, _ or -, and begin with a letter or digit');

const countBytes = (text: string): number => new TextEncoder().encode(text).length;

/** Goes into a header. What is wrong with one is said without it. */
const secretValueSchema = z
  .string()
  .refine(
    (value) => value !== '' && countBytes(value) <= MAX_SECRET_BYTES && !/\p{Cc}/u.test(value),
    `must be 1 to ${MAX_SECRET_BYTES} bytes of UTF-8 without control characters, line breaks included`,
  );

/** The one body that holds a secret. Never logged, kept or answered. */
export const saveSecretRequestSchema = z.strictObject({ value: secretValueSchema.meta({ writeOnly: true }) });
export type SaveSecretRequest = z.infer<typeof saveSecretRequestSchema>;

/** A tenant's secret without its value, which no answer holds. Made by ingest, read by callers. Holds no base64 and no path; may be logged. */
export const tenantSecretSchema = z.object({
  name: z.string(),
  /** Rises by one with each value that is saved. */
  version: z.int().positive(),
  createdAt: timeSchema,
  /** When this version was saved. */
  updatedAt: timeSchema,
  /** To the minute: a use is noted at most once in that time. Absent: never used. */
  lastUsedAt: timeSchema.optional(),
  schemaVersion: schemaVersionSchema,
});
export type TenantSecret = z.infer<typeof tenantSecretSchema>;
