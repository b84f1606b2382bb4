import { z } from 'zod';

const countSchema = z.tuple([z.string().max(32), z.string().max(200), z.int().positive().max(1_000_000)]);

/** How many counts one message holds. */
export const MAX_REQUEST_COUNTS = 500;

/**
 * The increments that one process of ingest has counted since its last report: limit, subject and number. A report without counts only shows that the process
 * is alive. Never stored.
 */
export const requestCountsSchema = z.object({ from: z.uuid(), counts: z.array(countSchema).max(MAX_REQUEST_COUNTS) });
export type RequestCounts = z.infer<typeof requestCountsSchema>;
