import { z } from 'zod';
import { apiSchemas } from '../api-schemas.ts';
import { timeSchema } from '../versions.ts';

/** Made by ingest, read by callers. The ticket is a credential: never logged. */
export const eventTicketSchema = z
  .object({
    ticket: z.string().describe('For `?ticket=` of the log or the transcript of this session, once.'),
    expiresAt: timeSchema.describe('Until when the stream has to be opened. An open stream does not end then.'),
  })
  .register(apiSchemas, { id: 'EventTicket', description: 'Opens one stream of a session, for `EventSource`.' });
export type EventTicket = z.infer<typeof eventTicketSchema>;
