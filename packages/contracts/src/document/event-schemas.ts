import delta from '../../golden/v1/dto.output-delta.json' with { type: 'json' };
import agentOutput from '../../golden/v1/event.agent.output.json' with { type: 'json' };
import attachmentReady from '../../golden/v1/event.attachment.ready.json' with { type: 'json' };
import deliveryWritten from '../../golden/v1/event.delivery.written.json' with { type: 'json' };
import messageAccepted from '../../golden/v1/event.message.accepted.json' with { type: 'json' };
import { eventExplanations } from '../events/event-explanations.ts';
import { eventSchemas, eventUnionSchema, streamedEventSchema } from '../events/event-union.ts';
import {
  agentOutputItemSchema,
  type EventKind,
  eventDataSchemas,
  eventKinds,
  outputDeltaSchema,
  resourceViewSchema,
} from '../events/events.ts';
import type { NamedSchema, NamedSchemas } from './named-schema.ts';

const [textItem, thoughtItem, toolCallItem, mediaItem, usageItem] = agentOutputItemSchema.options;

const examples: Partial<Record<EventKind, unknown>> = {
  'agent.output': agentOutput,
  'attachment.ready': attachmentReady,
  'delivery.written': deliveryWritten,
  'message.accepted': messageAccepted,
};

/** The session log and its stream: an event and its data for each kind. */
export const eventDocumentSchemas: NamedSchemas = {
  SessionEvent: { schema: eventUnionSchema, description: 'An event of the session log, by its `kind`.' },
  StreamedEvent: {
    schema: streamedEventSchema,
    description: 'The `data` of one server-sent event: an event of the log, or a delta, which has no `kind`.',
  },
  OutputDelta: {
    schema: outputDeltaSchema,
    description: 'A piece of what an agent says, for live followers alone. Its event is `agent.delta`, without an id.',
    examples: [delta],
  },
  AgentOutputItem: { schema: agentOutputItemSchema, description: 'One finished item of an agent’s output.' },
  TextItem: { schema: textItem, description: 'What the agent says.' },
  ThoughtItem: { schema: thoughtItem, description: 'What the agent thinks.' },
  ToolCallItem: { schema: toolCallItem, description: 'A call of a tool, in the words of the program.' },
  MediaItem: { schema: mediaItem, description: 'A file that the agent made.' },
  UsageItem: { schema: usageItem, description: 'What the turn cost.' },
  ResourceView: { schema: resourceViewSchema, description: 'What an agent asked to see; all of it, if empty.' },
  ...Object.fromEntries(eventKinds.flatMap((kind) => [nameEvent(kind), ...nameData(kind)])),
};

function nameEvent(kind: EventKind): [string, NamedSchema] {
  const example = examples[kind];
  const named = { schema: schemaOf(kind), description: eventExplanations[kind] };
  return [`${pascalCase(kind)}Event`, example === undefined ? named : { ...named, examples: [example] }];
}

/** Kinds that have the same data share one name of it. */
function nameData(kind: EventKind): [string, NamedSchema][] {
  const schema = eventDataSchemas[kind];
  const sharing = eventKinds.filter((other) => eventDataSchemas[other] === schema);
  if (sharing[0] !== kind) return [];
  const name = sharing.length === 1 ? `${pascalCase(kind)}Data` : 'DeliveryData';
  return [[name, { schema, description: `The data of ${sharing.map((each) => `\`${each}\``).join(', ')}.` }]];
}

function schemaOf(kind: EventKind) {
  const schema = eventSchemas.get(kind);
  if (schema === undefined) throw new Error(`no event of ${kind}`);
  return schema;
}

function pascalCase(kind: string): string {
  return kind
    .split(/[._]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}
