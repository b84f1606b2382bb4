import { fieldDescriptions } from './field-descriptions.ts';

// The frame that all events have.
const eventFields: Readonly<Record<string, string>> = {
  kind: 'What happened. It says what `data` holds.',
  data: 'More about it.',
};

/** What a field of a named schema means. `path` is the name, and the fields on the way; the words for one field precede those for all fields of its name. */
export function describeField(path: string, name: string): string | undefined {
  const own = fieldDescriptions[`${path}.${name}`] ?? (path.endsWith('Event') ? eventFields[name] : undefined);
  return own ?? fieldDescriptions[name];
}
