import { z } from 'zod';
import dto from '../../golden/v1/dto.json' with { type: 'json' };
import { apiSchemas } from '../api-schemas.ts';
import { failureSchema } from '../delivery/failure.ts';
import { projectionPlanSchema } from '../delivery/plan.ts';

/** Made by ingest and the gateway's socket, read by callers; no base64, path or secret, so it may be logged. */
export const problemSchema = z
  .object({
    type: z.string().describe('Path of a page about the code, on the stack that answered.'),
    title: z.string().describe('What it is, in a few words.'),
    status: z.int().describe('The status of the answer.'),
    code: z.string(),
    detail: z.string().describe('What is wrong and what to do.'),
    retryable: z.boolean().describe('Whether the same may succeed unedited.'),
    requestId: z.string().describe('Id of the trace of the request. Name it when you report a fault.'),
    failures: z.array(failureSchema).optional().describe('Why it was refused.'),
    plans: z.array(projectionPlanSchema).optional(),
  })
  .register(apiSchemas, {
    id: 'Problem',
    description: 'Problem details (RFC 9457). `code` is stable, the texts are not.',
    examples: [dto['dto.problem.minimal']],
  });
export type Problem = z.infer<typeof problemSchema>;
