import problem from '../../golden/v1/dto.problem.minimal.json' with { type: 'json' };
import { problemSchema } from '../errors/problem.ts';
import { type IdKind, idPrefixes, idSchema } from '../ids.ts';
import { timeSchema } from '../versions.ts';
import { accessSchemas, sessionSchemas } from './access-schemas.ts';
import { attachmentSchemas, deliverySchemas } from './delivery-schemas.ts';
import { eventDocumentSchemas } from './event-schemas.ts';
import type { NamedSchema, NamedSchemas } from './named-schema.ts';
import { readingSchemas } from './transcript-schemas.ts';

/** Every schema that has a name in the description of the API. All others are described where they are used. */
export const namedSchemas: NamedSchemas = {
  ...Object.fromEntries((Object.keys(idPrefixes) as IdKind[]).map(nameId)),
  Time: { schema: timeSchema, description: 'ISO 8601 in UTC with milliseconds.' },
  Problem: {
    schema: problemSchema,
    description: 'Problem details (RFC 9457). `code` is stable, the texts are not.',
    examples: [problem],
  },
  ...sessionSchemas,
  ...accessSchemas,
  ...attachmentSchemas,
  ...deliverySchemas,
  ...readingSchemas,
  ...eventDocumentSchemas,
};

function nameId(kind: IdKind): [string, NamedSchema] {
  const name = `${kind.charAt(0).toUpperCase()}${kind.slice(1)}Id`;
  const description = `Id of ${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind}: \`${idPrefixes[kind]}_\` and 22 letters.`;
  return [name, { schema: idSchema(kind), description }];
}
