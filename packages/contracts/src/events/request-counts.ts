import { z } from 'zod';

const countSchema = z.tuple([z.string().max(32), z.string().max(200), z.int().positive().max(1_000_000)]);

/** How many counts one message holds. */
export const MAX_REQUEST_COUNTS = 500;

/** What one process of ingest tells the others that it has counted since: what, of whom, how often. Without counts it says that it is there. Never stored. */
export const requestCountsSchema = z.object({ from: z.uuid(), counts: z.array(countSchema).max(MAX_REQUEST_COUNTS) });
export type RequestCounts = z.infer<typeof requestCountsSchema>;
