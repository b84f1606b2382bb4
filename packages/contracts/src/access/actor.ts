import { z } from 'zod';
import { apiSchemas } from '../api-schemas.ts';
import { idSchema } from '../ids.ts';

const keyActorSchema = z
  .object({ type: z.literal('key'), id: idSchema('key') })
  .register(apiSchemas, { id: 'KeyActor', description: 'An API key.' });
const userActorSchema = z
  .object({ type: z.literal('user'), id: idSchema('user') })
  .register(apiSchemas, { id: 'UserActor', description: 'A participant, by a session token.' });
const agentActorSchema = z
  .object({ type: z.literal('agent'), id: idSchema('agent') })
  .register(apiSchemas, { id: 'AgentActor', description: 'An agent.' });
const serviceActorSchema = z
  .object({ type: z.literal('service'), id: z.enum(['ingest', 'projector', 'runner-gateway']) })
  .register(apiSchemas, { id: 'ServiceActor', description: 'A service of Attaché.' });

export const actorSchema = z
  .discriminatedUnion('type', [keyActorSchema, userActorSchema, agentActorSchema, serviceActorSchema])
  .register(apiSchemas, { id: 'Actor', description: 'Who did it. A service acts for the system itself.' });
export type Actor = z.infer<typeof actorSchema>;
