import { z } from 'zod';
import { attachmentFactsSchema } from '../delivery/attachment.ts';
import { receiptSchema, usageSchema } from '../delivery/delivery.ts';
import { failureSchema } from '../delivery/failure.ts';
import { targetSchema } from '../session/target.ts';
import { eventRules } from './event-rules.ts';
import { agentOutputItemSchema, type EventKind, eventDataSchemas, eventKinds, resourceViewSchema } from './events.ts';

/** One field of an object, with a description of its type. */
export type DescribedField = { name: string; type: string; isOptional: boolean };

export type DescribedEvent = { kind: EventKind; when: string; fields: DescribedField[] };

/** Objects that are part of several kinds' data, or are too large for a cell. */
const shared = {
  failure: failureSchema,
  receipt: receiptSchema,
  target: targetSchema,
  facts: attachmentFactsSchema,
  view: resourceViewSchema,
  usage: usageSchema,
} as const;

type JsonSchema = {
  type?: string;
  const?: unknown;
  enum?: unknown[];
  pattern?: string;
  format?: string;
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  additionalProperties?: JsonSchema | boolean;
};

/** Every kind of event with when it is written and what its `data` holds. */
export function describeEvents(): DescribedEvent[] {
  return eventKinds.map((kind) => ({
    kind,
    when: eventRules[kind].when,
    fields: describeFields(eventDataSchemas[kind]),
  }));
}

/** The objects that the data of events refers to by name. */
export function describeEventObjects(): { name: string; fields: DescribedField[] }[] {
  return Object.entries(shared).map(([name, schema]) => ({ name, fields: describeFields(schema) }));
}

/** The forms of an item of `agent.output`, by `type`. */
export function describeOutputItems(): { type: string; fields: DescribedField[] }[] {
  return agentOutputItemSchema.options.map((option) => ({
    type: option.shape.type.value,
    fields: describeFields(option).filter(({ name }) => name !== 'type'),
  }));
}

function describeFields(schema: z.ZodObject): DescribedField[] {
  return Object.entries(schema.shape).map(([name, field]) => {
    const isOptional = field instanceof z.ZodOptional;
    return { name, isOptional, type: describeType((isOptional ? field.unwrap() : field) as z.ZodType) };
  });
}

function describeType(schema: z.ZodType): string {
  // A schema that got a description where it is used has the definition of the one that it was made of.
  const named = Object.entries(shared).find(([, each]) => each.def === schema.def);
  if (named !== undefined) return `a ${named[0]}`;
  if (schema.def === agentOutputItemSchema.def) return 'an item';
  return describeJson(z.toJSONSchema(schema) as JsonSchema);
}

function describeJson(schema: JsonSchema): string {
  const { type, pattern, items, properties, anyOf, oneOf } = schema;
  if (schema.const !== undefined) return `\`${String(schema.const)}\``;
  if (schema.enum !== undefined)
    return schema.enum.length > 20 ? 'a code' : schema.enum.map((each) => `\`${String(each)}\``).join(', ');
  const forms = anyOf ?? oneOf;
  if (forms !== undefined) return forms.map(describeJson).join(' or ');
  if (items !== undefined) return `a list: ${describeJson(items)}`;
  if (properties !== undefined) return `{${describeProperties(schema)}}`;
  if (type === 'object') return 'an object';
  const prefix = /^\^([a-z]+_)/.exec(pattern ?? '')?.[1];
  if (prefix !== undefined) return `an id, \`${prefix}…\``;
  if (schema.format === 'date-time') return 'a time';
  return (
    { string: 'text', integer: 'a whole number', number: 'a number', boolean: 'yes or no' }[type ?? ''] ?? 'any value'
  );
}

function describeProperties({ properties = {}, required = [] }: JsonSchema): string {
  return Object.entries(properties)
    .map(([name, field]) => `\`${name}\`${required.includes(name) ? '' : '?'}: ${describeJson(field)}`)
    .join('; ');
}
