import { z } from 'zod';

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

export const rightSchema = z.enum(rights).meta({ description: unused });
export type Right = z.infer<typeof rightSchema>;

/** What a session token may hold: rights inside one session. */
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

export const sessionRightSchema = z.enum(sessionRights).meta({ description: unused });

export const scopeSchema = z.enum(['admin', 'sessions', 'attachments', 'read']);
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
