import { z } from 'zod';
import { idSchema } from '../ids.ts';

/** Who did it. A service acts for the system itself. */
export const actorSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('key'), id: idSchema('key') }),
  z.object({ type: z.literal('user'), id: idSchema('user') }),
  z.object({ type: z.literal('agent'), id: idSchema('agent') }),
  z.object({ type: z.literal('service'), id: z.enum(['ingest', 'projector', 'runner-gateway']) }),
]);
export type Actor = z.infer<typeof actorSchema>;
