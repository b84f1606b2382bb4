import { z } from 'zod';
import dto from '../../golden/v1/dto.json' with { type: 'json' };
import examples from '../../golden/v1/events.json' with { type: 'json' };
import { apiSchemas } from '../api-schemas.ts';
import { eventRules } from './event-rules.ts';
import { type EventKind, eventDataSchemas, eventKinds, outputDeltaSchema, sessionEventSchema } from './events.ts';

const shownEvents: Partial<Record<EventKind, unknown>> = {
  'agent.output': examples['event.agent.output'],
  'attachment.ready': examples['event.attachment.ready'],
  'delivery.written': examples['event.delivery.written'],
  'message.accepted': examples['event.message.accepted'],
};

for (const kind of eventKinds) nameData(kind);

/** The whole event of each kind, with the data that it has. For descriptions: what is read from a log may be of a later release. */
const eventSchemas = eventKinds.map((kind) => {
  const example = shownEvents[kind];
  return sessionEventSchema
    .extend({
      kind: z.literal(kind).describe('What happened. It says what `data` holds.'),
      data: (eventDataSchemas[kind] as z.ZodObject).describe('More about it.'),
    })
    .register(apiSchemas, {
      id: `${pascalCase(kind)}Event`,
      description: eventRules[kind].when,
      ...(example === undefined ? {} : { examples: [example] }),
    });
});

type KindSchema = (typeof eventSchemas)[number];

export const eventUnionSchema = z
  .discriminatedUnion('kind', eventSchemas as [KindSchema, ...KindSchema[]])
  .register(apiSchemas, { id: 'SessionEvent', description: 'An event of the session log, by its `kind`.' });

/** A delta as a live stream sends it. */
export const streamedDeltaSchema = outputDeltaSchema
  .extend({ kind: z.literal('agent.delta').describe('Tells it apart from the events of the log.') })
  .register(apiSchemas, {
    id: 'AgentDeltaEvent',
    description: 'A piece of what an agent says, for live followers alone: never stored, and without an id and a seq.',
    examples: [dto['dto.agent-delta-event']],
  });
export type StreamedDelta = z.infer<typeof streamedDeltaSchema>;

export const streamedEventSchema = z
  .discriminatedUnion('kind', [...eventUnionSchema.options, streamedDeltaSchema])
  .register(apiSchemas, {
    id: 'StreamedEvent',
    description: 'The `data` of one server-sent event, by its `kind`: an event of the log, or a delta.',
  });

/** Kinds that have the same data share one name of it. */
function nameData(kind: EventKind): void {
  const schema = eventDataSchemas[kind];
  const sharing = eventKinds.filter((other) => eventDataSchemas[other] === schema);
  const id = sharing.length === 1 ? `${pascalCase(kind)}Data` : 'DeliveryData';
  const description = `The data of ${sharing.map((each) => `\`${each}\``).join(', ')}.`;
  apiSchemas.add(schema, { id, description });
}

function pascalCase(kind: EventKind): string {
  return kind
    .split(/[._]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}
