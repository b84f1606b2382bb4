import { z } from 'zod';
import { apiSchemas } from './api-schemas.ts';

/** Prefix of every public id. Stored ids are 16 bytes (uuid); the prefix and base64url exist only at the edge. */
export const idPrefixes = {
  tenant: 'ten',
  user: 'usr',
  session: 'ses',
  agent: 'agt',
  attachment: 'att',
  message: 'msg',
  delivery: 'dlv',
  event: 'evt',
  key: 'key',
  grant: 'grt',
  upload: 'upl',
  variant: 'var',
} as const;

export type IdKind = keyof typeof idPrefixes;
export type Id<K extends IdKind> = `${(typeof idPrefixes)[K]}_${string}`;

export type AgentId = Id<'agent'>;
export type AttachmentId = Id<'attachment'>;
export type MessageId = Id<'message'>;
export type DeliveryId = Id<'delivery'>;
export type KeyId = Id<'key'>;
export type VariantId = Id<'variant'>;

// 128 bits fill 21 characters and two bits of the 22nd: only A, Q, g and w are canonical there, so one id has one spelling.
const encodedPattern = '[A-Za-z0-9_-]{21}[AQgw]';

function makeIdSchema(kind: IdKind) {
  const prefix = idPrefixes[kind];
  const pattern = new RegExp(`^${prefix}_${encodedPattern}$`);
  const description = `Id of ${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind}: \`${prefix}_\` and 22 letters.`;
  return z
    .string()
    .regex(pattern, `must be ${prefix}_ and 22 base64url characters`)
    .register(apiSchemas, { id: `${kind.charAt(0).toUpperCase()}${kind.slice(1)}Id`, description });
}

const kinds = Object.keys(idPrefixes) as IdKind[];
// One for each kind, so that the description of the API can name it.
const idSchemas = new Map(kinds.map((kind) => [kind, makeIdSchema(kind)]));

/** Zod schema of one kind of public id: the same one at each call. */
export function idSchema<K extends IdKind>(kind: K) {
  // A plain string schema at run time, so that it can be described as JSON Schema; the type carries the prefix.
  return idSchemas.get(kind) as unknown as z.ZodType<Id<K>>;
}

/** Whether `value` is spelled as a public id of this kind. It may still name nothing. */
export function isId<K extends IdKind>(kind: K, value: string): value is Id<K> {
  return new RegExp(`^${idPrefixes[kind]}_${encodedPattern}$`).test(value);
}

/** Public id of a stored uuid. */
export function idFromUuid<K extends IdKind>(kind: K, uuid: string): Id<K> {
  const bytes = uuid.replaceAll('-', '').match(/../g) ?? [];
  const binary = String.fromCharCode(...bytes.map((byte) => Number.parseInt(byte, 16)));
  const encoded = btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  return `${idPrefixes[kind]}_${encoded}` as Id<K>;
}

/** Stored uuid of a public id. The id must be well-formed (`idSchema`, `isId`). */
export function uuidFromId(id: Id<IdKind>): string {
  const encoded = id.slice(id.indexOf('_') + 1);
  const binary = atob(encoded.replaceAll('-', '+').replaceAll('_', '/'));
  const hex = Array.from(binary, (char) => char.charCodeAt(0).toString(16).padStart(2, '0')).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
