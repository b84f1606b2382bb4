import { z } from 'zod';
import { apiSchemas } from '../api-schemas.ts';
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

/** The value goes into a header. An error about a value never repeats it. */
const secretValueSchema = z
  .string()
  .refine(
    (value) => value !== '' && countBytes(value) <= MAX_SECRET_BYTES && !/\p{Cc}/u.test(value),
    `must be 1 to ${MAX_SECRET_BYTES} bytes of UTF-8 without control characters, line breaks included`,
  );

/** The one body that holds a secret. Never logged, kept or answered. */
export const saveSecretRequestSchema = z
  .strictObject({
    value: secretValueSchema.meta({
      description: 'The secret itself: 1 byte to 8 KiB of UTF-8 without control characters.',
      writeOnly: true,
    }),
  })
  .register(apiSchemas, {
    id: 'SaveSecretRequest',
    description: 'The value of a secret.',
    examples: [{ value: 'the key of a model API' }],
  });

/** Made by ingest, read by callers. Holds no base64 and no path; may be logged. */
export const tenantSecretSchema = z
  .object({
    name: z.string(),
    version: z.int().positive().describe('Rises by one with each value that is saved.'),
    createdAt: timeSchema,
    updatedAt: timeSchema.describe('When this version was saved.'),
    /** A use is noted at most once a minute. */
    lastUsedAt: timeSchema.optional().describe('When it was last used, to the minute. Absent: never.'),
    schemaVersion: schemaVersionSchema,
  })
  .register(apiSchemas, { id: 'TenantSecret', description: 'A secret without its value, which no answer holds.' });
export type TenantSecret = z.infer<typeof tenantSecretSchema>;
