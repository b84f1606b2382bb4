import { z } from 'zod';
import { idSchema } from '../ids.ts';
import { schemaVersionSchema } from '../versions.ts';

const count = z.int().nonnegative();

/** Days in one report. */
export const MAX_USE_DAYS = 366;

/** What providers of models counted, for requests that left for them by the relay. */
export const useCountsSchema = z.object({
  /** Generating requests that left whole, errands of programs included, whatever was answered. */
  requests: count,
  /** Those of them of which no provider said what it counted: their tokens are in no sum. */
  uncountedRequests: count,
  /** All that was read, what came from a cache included. */
  inputTokens: count,
  /** What of it came from a cache. */
  cachedInputTokens: count,
  outputTokens: count,
});
export type UseCounts = z.infer<typeof useCountsSchema>;

const daySchema = z.iso.date();

const reportOf = <K extends z.ZodRawShape, B extends string>(by: B, key: K) =>
  z.object({
    by: z.literal(by),
    /** The first and the last day, in UTC. */
    from: daySchema,
    to: daySchema,
    items: z.array(useCountsSchema.extend(key)),
    nextCursor: z.string().nullable(),
    schemaVersion: schemaVersionSchema,
  });

/** What a tenant has used. Made by ingest, read by callers. Holds no base64 and no path; may be logged. */
export const useReportSchema = z.discriminatedUnion('by', [
  reportOf('day', { day: daySchema }),
  reportOf('session', { sessionId: idSchema('session') }),
  /** `model` as the programs named it; `other` for what one agent named beyond its first 32. */
  reportOf('model', { provider: z.string(), model: z.string() }),
]);
export type UseReport = z.infer<typeof useReportSchema>;

export const useQuerySchema = z.object({
  by: z.enum(['day', 'session', 'model']),
  /** Today, where it is left out. */
  to: daySchema.optional(),
  /** 29 days before `to`, where it is left out. */
  from: daySchema.optional(),
  cursor: z.string().max(2_000).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});
export type UseQuery = z.infer<typeof useQuerySchema>;
