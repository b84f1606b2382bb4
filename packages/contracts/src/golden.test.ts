import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { findUnshownFields } from './__fixtures__/find-unshown-fields.ts';
import { agentOutputSchema } from './agent/agent-surface.ts';
import { apiSchemas } from './api-schemas.ts';
import './index.ts';
import { partsSchema } from './delivery/parts.ts';
import { problemSchema } from './errors/problem.ts';
import { busDataSchemas, subjects, traceContextSchema } from './events/bus-messages.ts';
import { eventDataSchemas, eventKinds, sessionEventSchema } from './events/events.ts';
import { tenantSchema } from './operator/operator.ts';
import { profileSchema } from './session/profile.ts';
import { SCHEMA_VERSION } from './versions.ts';

const readJson = (file: string) =>
  JSON.parse(readFileSync(new URL(`../golden/v${SCHEMA_VERSION}/${file}.json`, import.meta.url), 'utf8'));
const checksums: Record<string, string> = readJson('checksums');
const files: Record<string, Record<string, unknown>> = {
  event: readJson('events'),
  bus: readJson('bus'),
  dto: readJson('dto'),
};
const examples = new Map(Object.values(files).flatMap((file) => Object.entries(file)));
const names = [...examples.keys()];

const read = (name: string): unknown => examples.get(name);

/** The schemas that cross a process, by the beginning of their examples' names: those of the API, and others. */
const schemas: Record<string, z.ZodType> = {
  ...Object.fromEntries(
    eventKinds.map((kind) => [`event.${kind}`, sessionEventSchema.extend({ data: eventDataSchemas[kind] })]),
  ),
  ...Object.fromEntries(subjects.map((subject) => [`bus.${subject}`, busDataSchemas[subject]])),
  ...Object.fromEntries(
    [...apiSchemas._idmap]
      .map(([id, schema]) => [`dto.${kebabCase(id)}`, schema] as const)
      .filter(([beginning]) => namesOf(beginning).length > 0),
  ),
  'dto.agent-output': agentOutputSchema,
  'dto.parts': partsSchema,
  'dto.problem': problemSchema,
  'dto.profile': profileSchema,
  'dto.tenant': tenantSchema,
  'dto.trace-context': traceContextSchema,
};

function namesOf(beginning: string): string[] {
  return names.filter((name) => name === beginning || name.startsWith(`${beginning}.`));
}

function kebabCase(id: string): string {
  return id.replaceAll(/(?<!^)[A-Z]/g, '-$&').toLowerCase();
}

function schemaOf(name: string): z.ZodType {
  const beginning = Object.keys(schemas).find((candidate) => namesOf(candidate).includes(name));
  const schema = beginning === undefined ? undefined : schemas[beginning];
  if (!schema) throw new Error(`no schema for ${name}`);
  return schema;
}

/** The schemas that the examples must cover: the data of each event, the frame of all events, each other schema as a whole. */
const shown = [
  ...eventKinds.map((kind) => ({
    name: `event.${kind}`,
    schema: eventDataSchemas[kind],
    values: namesOf(`event.${kind}`).map((name) => sessionEventSchema.parse(read(name)).data),
  })),
  { name: 'event', schema: sessionEventSchema, values: namesOf('event').map(read) },
  ...Object.entries(schemas)
    .filter(([name]) => !name.startsWith('event.'))
    .map(([name, schema]) => ({ name, schema, values: valuesOf(name) })),
];

/** In a transcript, any actor may be that of any entry: each kind of actor is shown once, not once for each type of entry. */
function valuesOf(name: string): unknown[] {
  const values = namesOf(name).map(read);
  if (name !== 'dto.transcript-entry') return values;
  const entries = values as { actor?: { type: string } | undefined }[];
  const actors = new Map(entries.map(({ actor }) => [actor?.type, actor]));
  return entries.flatMap((entry) => (entry.actor ? [...actors.values()].map((actor) => ({ ...entry, actor })) : entry));
}

const describeSchema = (schema: z.ZodType) => z.toJSONSchema(schema) as Parameters<typeof findUnshownFields>[0];

describe('golden examples', () => {
  it.each(names)(
    '%s equals its own parse, nothing left out or added: what earlier releases wrote is read as it is [DL-47 DL-49]',
    (name) => {
      const value = read(name);
      expect(schemaOf(name).parse(value)).toStrictEqual(value);
    },
  );

  it.each(namesOf('event'))('%s fits the event of the wire too', (name) => {
    const value = read(name);
    expect(sessionEventSchema.parse(value)).toStrictEqual(value);
    expect(name).toContain(sessionEventSchema.parse(value).kind);
  });

  it.each(shown)('$name is shown: every field, and each optional one also absent [DL-49]', ({ schema, values }) => {
    expect(values).not.toEqual([]);
    expect(findUnshownFields(describeSchema(schema), values)).toEqual([]);
  });

  it('never change within a version: a new form gets a new example and a new line in checksums.json', () => {
    const digest = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('hex');
    expect(Object.fromEntries(names.map((name) => [name, digest(read(name))]))).toEqual(checksums);
  });

  it('are in the file of their kind', () => {
    for (const [kind, file] of Object.entries(files)) expect(namesOf(kind)).toEqual(Object.keys(file));
  });

  it('hold no base64, data URL or key [SR-24 DL-98]', () => {
    for (const name of names)
      expect(JSON.stringify(read(name))).not.toMatch(/data:[a-z]+\/[a-z]+;base64|;base64,|sk-[A-Za-z0-9]/);
  });
});

describe('a planted gap', () => {
  const image = z.object({ type: z.literal('image'), width: z.int().optional() });
  const text = z.object({ type: z.literal('text'), text: z.string() });
  const schema = describeSchema(z.object({ items: z.array(z.discriminatedUnion('type', [image, text])) }));

  it.each([
    ['a branch without an example', [{ items: [{ type: 'text', text: '' }] }], ['items[][0]']],
    ['a field that none has', [{ items: [{ type: 'image' }, { type: 'text', text: '' }] }], ['items[].width']],
    [
      'an optional field that all have',
      [
        {
          items: [
            { type: 'image', width: 1 },
            { type: 'text', text: '' },
          ],
        },
      ],
      ['items[].width absent'],
    ],
  ])('is found: %s', (_name, values, unshown) => {
    expect(findUnshownFields(schema, values)).toEqual(unshown);
  });
});
