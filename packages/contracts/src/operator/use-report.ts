import { z } from 'zod';
import dto from '../../golden/v1/dto.json' with { type: 'json' };
import { apiSchemas } from '../api-schemas.ts';
import { idSchema } from '../ids.ts';
import { schemaVersionSchema } from '../versions.ts';

const count = z.int().nonnegative();

/** Days in one report. */
export const MAX_USE_DAYS = 366;

/** The providers' counts for requests that left through the relay, and estimates of what they did not count. */
const useCountsSchema = z.object({
  /** Errands of programs included, whatever was answered. */
  requests: count.describe('Generating requests that left whole for a provider.'),
  uncountedRequests: count.describe(
    'Those of the requests of which no provider said all that it counted: their tokens are estimated from their bytes.',
  ),
  inputTokens: count.describe('Tokens that models read, what came from a cache included.'),
  cachedInputTokens: count.describe('Of the input tokens, those that the provider read from a cache.'),
  outputTokens: count.describe('Tokens that models wrote, thoughts included.'),
});
export type UseCounts = z.infer<typeof useCountsSchema>;

const daySchema = z.iso.date();

const useOfDaySchema = useCountsSchema
  .extend({ day: daySchema.describe('The day in UTC.') })
  .register(apiSchemas, { id: 'UseOfDay', description: 'The sums of a day in UTC.' });
const useOfSessionSchema = useCountsSchema
  .extend({ sessionId: idSchema('session') })
  .register(apiSchemas, { id: 'UseOfSession', description: 'The sums of a session.' });
const useOfModelSchema = useCountsSchema
  .extend({
    provider: z.string(),
    model: z.string().describe('As programs named it; `other` for what one agent named beyond its first 32.'),
  })
  .register(apiSchemas, { id: 'UseOfModel', description: 'The sums of a model.' });

const reportOf = <B extends string, I extends z.ZodType>(by: B, item: I) =>
  z.object({
    by: z.literal(by).describe('What the sums are of.'),
    from: daySchema.describe('The first day, in UTC.'),
    to: daySchema.describe('The last day, in UTC.'),
    items: z.array(item),
    nextCursor: z.string().nullable(),
    schemaVersion: schemaVersionSchema,
  });

/** Made by ingest, read by callers. Holds no base64 and no path; may be logged. */
export const useReportSchema = z
  .discriminatedUnion('by', [
    reportOf('day', useOfDaySchema).register(apiSchemas, {
      id: 'UseReportByDay',
      description: 'Sums of each day.',
      examples: [dto['dto.use-report.day']],
    }),
    reportOf('session', useOfSessionSchema).register(apiSchemas, {
      id: 'UseReportBySession',
      description: 'Sums of each session.',
    }),
    reportOf('model', useOfModelSchema).register(apiSchemas, {
      id: 'UseReportByModel',
      description: 'Sums of each model.',
    }),
  ])
  .register(apiSchemas, { id: 'UseReport', description: 'What the tenant has used, by one of three keys.' });
export type UseReport = z.infer<typeof useReportSchema>;

export const useQuerySchema = z.object({
  by: z.enum(['day', 'session', 'model']).describe('What the sums are of.'),
  to: daySchema.optional().describe('The last day in UTC; today, if absent.'),
  from: daySchema.optional().describe('The first day in UTC; 29 days before the last, if absent.'),
  cursor: z.string().max(2_000).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});
export type UseQuery = z.infer<typeof useQuerySchema>;
