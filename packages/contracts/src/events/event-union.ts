import { z } from 'zod';
import { type EventKind, eventDataSchemas, eventKinds, outputDeltaSchema, sessionEventSchema } from './events.ts';

const ofKind = (kind: EventKind) =>
  sessionEventSchema.extend({ kind: z.literal(kind), data: eventDataSchemas[kind] as z.ZodObject });

type KindSchema = ReturnType<typeof ofKind>;

/** The whole event of each kind, with the data that it has. For descriptions: what is read from a log may be of a later release. */
export const eventSchemas: ReadonlyMap<EventKind, KindSchema> = new Map(eventKinds.map((kind) => [kind, ofKind(kind)]));

/** An event of the session log, by its `kind`. */
export const eventUnionSchema = z.discriminatedUnion('kind', [...eventSchemas.values()] as [
  KindSchema,
  ...KindSchema[],
]);

/** The data of one server-sent event: an event of the log, or a delta. */
export const streamedEventSchema = z.union([eventUnionSchema, outputDeltaSchema]);
