import { z } from 'zod';
import { failureSchema } from '../delivery/failure.ts';
import { projectionPlanSchema } from '../delivery/plan.ts';

/** RFC 9457 problem details. Made by ingest and the gateway's socket, read by callers; no base64, path or secret, so it may be logged. `code` is stable, the texts are not; `detail` says what to do; `requestId` is the trace id. */
export const problemSchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  code: z.string(),
  detail: z.string(),
  retryable: z.boolean(),
  requestId: z.string(),
  failures: z.array(failureSchema).optional(),
  plans: z.array(projectionPlanSchema).optional(),
});
export type Problem = z.infer<typeof problemSchema>;
