import { z } from 'zod';
import { apiSchemas } from '../api-schemas.ts';

export const rights = [
  'attachments:read',
  'attachments:write',
  'attachments:delete',
  'messages:send',
  'events:read',
  'completion:read',
  'urls:create',
  'grants:manage',
  'overrides:manage',
  'sessions:manage',
  'keys:manage',
  'tenant:manage',
] as const;

const unused = 'completion:read opens nothing in this release: it is kept for the completion of names.';

export const rightSchema = z
  .enum(rights)
  .meta({ description: unused })
  .register(apiSchemas, { id: 'Right', description: 'What a session token or a participant may do.' });
export type Right = z.infer<typeof rightSchema>;

/** The rights that a session token may hold inside its session. */
export const sessionRights = [
  'attachments:read',
  'attachments:write',
  'attachments:delete',
  'messages:send',
  'events:read',
  'completion:read',
  'urls:create',
  'grants:manage',
  'overrides:manage',
] as const satisfies readonly Right[];

export const scopeSchema = z.enum(['admin', 'sessions', 'attachments', 'read']).register(apiSchemas, {
  id: 'Scope',
  description: 'A named set of rights of an API key. Each holds those behind it.',
});
export type Scope = z.infer<typeof scopeSchema>;

const readRights = ['attachments:read', 'events:read', 'completion:read'] as const satisfies readonly Right[];
const attachmentRights = [
  ...readRights,
  'attachments:write',
  'attachments:delete',
  'urls:create',
] as const satisfies readonly Right[];

/** An API key's scopes are named sets of rights. */
export const rightsOfScope: Record<Scope, readonly Right[]> = {
  admin: rights,
  sessions: [...attachmentRights, 'messages:send', 'grants:manage', 'sessions:manage'],
  attachments: attachmentRights,
  read: readRights,
};

export function rightsOfScopes(scopes: readonly Scope[]): ReadonlySet<Right> {
  return new Set(scopes.flatMap((scope) => rightsOfScope[scope]));
}
