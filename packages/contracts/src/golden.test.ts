import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { findUnshownFields } from './__fixtures__/find-unshown-fields.ts';
import { apiKeySchema } from './access/api-key.ts';
import { grantSchema } from './access/grant.ts';
import { agentOutputSchema } from './agent/agent-surface.ts';
import { attachmentSchema } from './delivery/attachment.ts';
import { capabilitySchema } from './delivery/capability.ts';
import { deliverySchema } from './delivery/delivery.ts';
import { messageSchema } from './delivery/message.ts';
import { partsSchema } from './delivery/parts.ts';
import { deliveryPlanSchema } from './delivery/plan.ts';
import { sessionPolicySchema } from './delivery/policy.ts';
import { problemSchema } from './errors/problem.ts';
import { busDataSchemas, subjects, traceContextSchema } from './events/bus-messages.ts';
import { eventDataSchemas, eventKinds, outputDeltaSchema, sessionEventSchema } from './events/events.ts';
import { transcriptEntrySchema } from './events/transcript.ts';
import { auditEntrySchema } from './operator/audit.ts';
import { tenantSchema } from './operator/operator.ts';
import { useReportSchema } from './operator/use-report.ts';
import { profileSchema } from './session/profile.ts';
import { agentSchema, sessionSchema } from './session/session.ts';
import { SCHEMA_VERSION } from './versions.ts';

const folder = fileURLToPath(new URL(`../golden/v${SCHEMA_VERSION}/`, import.meta.url));
const checksums: Record<string, string> = JSON.parse(readFileSync(`${folder}checksums.json`, 'utf8'));
const files = readdirSync(folder).filter((name) => name !== 'checksums.json');

const read = (file: string): unknown => JSON.parse(readFileSync(`${folder}${file}`, 'utf8'));

/** Every schema that crosses a process, by the beginning of its files' names. */
const schemas: Record<string, z.ZodType> = {
  ...Object.fromEntries(
    eventKinds.map((kind) => [`event.${kind}`, sessionEventSchema.extend({ data: eventDataSchemas[kind] })]),
  ),
  ...Object.fromEntries(subjects.map((subject) => [`bus.${subject}`, busDataSchemas[subject]])),
  'dto.agent': agentSchema,
  'dto.agent-output': agentOutputSchema,
  'dto.api-key': apiKeySchema,
  'dto.attachment': attachmentSchema,
  'dto.audit-entry': auditEntrySchema,
  'dto.capability': capabilitySchema,
  'dto.delivery': deliverySchema,
  'dto.delivery-plan': deliveryPlanSchema,
  'dto.grant': grantSchema,
  'dto.message': messageSchema,
  'dto.output-delta': outputDeltaSchema,
  'dto.parts': partsSchema,
  'dto.problem': problemSchema,
  'dto.profile': profileSchema,
  'dto.session': sessionSchema,
  'dto.session-policy': sessionPolicySchema,
  'dto.tenant': tenantSchema,
  'dto.trace-context': traceContextSchema,
  'dto.transcript-entry': transcriptEntrySchema,
  'dto.use-report': useReportSchema,
};

const filesOf = (name: string) => files.filter((file) => file === `${name}.json` || file.startsWith(`${name}.`));

function schemaOf(file: string): z.ZodType {
  const name = Object.keys(schemas).find((candidate) => filesOf(candidate).includes(file));
  const schema = name === undefined ? undefined : schemas[name];
  if (!schema) throw new Error(`no schema for ${file}`);
  return schema;
}

/** What examples must show: the data of each event, the frame of all events, each other schema as a whole. */
const shown = [
  ...eventKinds.map((kind) => ({
    name: `event.${kind}`,
    schema: eventDataSchemas[kind],
    values: filesOf(`event.${kind}`).map((file) => sessionEventSchema.parse(read(file)).data),
  })),
  { name: 'event', schema: sessionEventSchema, values: filesOf('event').map(read) },
  ...Object.entries(schemas)
    .filter(([name]) => !name.startsWith('event.'))
    .map(([name, schema]) => ({ name, schema, values: valuesOf(name) })),
];

/** In a transcript anyone may stand as the actor of any entry: each kind of actor is shown once, not once for each type of entry. */
function valuesOf(name: string): unknown[] {
  const values = filesOf(name).map(read);
  if (name !== 'dto.transcript-entry') return values;
  const entries = values as { actor?: { type: string } | undefined }[];
  const actors = new Map(entries.map(({ actor }) => [actor?.type, actor]));
  return entries.flatMap((entry) => (entry.actor ? [...actors.values()].map((actor) => ({ ...entry, actor })) : entry));
}

const describeSchema = (schema: z.ZodType) => z.toJSONSchema(schema) as Parameters<typeof findUnshownFields>[0];

describe('golden files', () => {
  it.each(files)(
    '%s equals its own parse, nothing left out or added: what earlier releases wrote is read as it is [DL-47 DL-49]',
    (file) => {
      const value = read(file);
      expect(schemaOf(file).parse(value)).toStrictEqual(value);
    },
  );

  it.each(files.filter((file) => file.startsWith('event.')))('%s fits the event of the wire too', (file) => {
    const value = read(file);
    expect(sessionEventSchema.parse(value)).toStrictEqual(value);
    expect(file).toContain(sessionEventSchema.parse(value).kind);
  });

  it.each(shown)('$name is shown: every field, and each optional one also absent [DL-49]', ({ schema, values }) => {
    expect(values).not.toEqual([]);
    expect(findUnshownFields(describeSchema(schema), values)).toEqual([]);
  });

  it('never change within a version: a new form gets a new file and a new line in checksums.json', () => {
    const found = files.map((file) => [
      file,
      createHash('sha256')
        .update(readFileSync(`${folder}${file}`))
        .digest('hex'),
    ]);
    expect(Object.fromEntries(found)).toEqual(checksums);
  });

  it('hold no base64, data URL or key [SR-24 DL-98]', () => {
    for (const file of files) {
      const text = readFileSync(`${folder}${file}`, 'utf8');
      expect(text).not.toMatch(/data:[a-z]+\/[a-z]+;base64|;base64,|sk-[A-Za-z0-9]/);
    }
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
