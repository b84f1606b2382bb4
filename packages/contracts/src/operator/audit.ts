import { z } from 'zod';
import { actorSchema } from '../access/actor.ts';
import { schemaVersionSchema, timeSchema } from '../versions.ts';

/** Whoever acts in a session, or the operator of the platform. */
export const auditActorSchema = z.discriminatedUnion('type', [
  ...actorSchema.options,
  z.object({ type: z.literal('operator'), id: z.literal('operator') }),
]);
export type AuditActor = z.infer<typeof auditActorSchema>;

export const auditActions = [
  'key.created',
  'key.rotated',
  'key.revoked',
  'token.created',
  'tokens.ended',
  'urls.created',
  'urls.ended',
  'attachment.deleted',
  'capability.overridden',
  'capability.restored',
  /** What left for models contradicts what the catalog says of a program. */
  'capability.contradicted',
  /** Parts for a model API were given out: to which provider and model, and how many of which form. */
  'projection.made',
  /** A caller lacked a right. At most some per minute are kept of one tenant. */
  'access.denied',
  'secret.saved',
  'secret.deleted',
  /** The gateway opened a secret for an agent. At most once per secret and minute. */
  'secret.used',
  /** The operator changed limits, ended all signed URLs, or suspended or restored the tenant. */
  'tenant.changed',
] as const;
export const auditActionSchema = z.enum(auditActions);
export type AuditAction = z.infer<typeof auditActionSchema>;

/** One entry of a tenant's audit log. Made by ingest and the operator, read by callers. Holds no base64 and no path; may be logged: `subjectId` and `data` hold ids, counts and short words. */
export const auditEntrySchema = z.object({
  id: z.uuid(),
  at: timeSchema,
  actor: auditActorSchema,
  action: auditActionSchema,
  subjectId: z.string().optional(),
  data: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  schemaVersion: schemaVersionSchema,
});
export type AuditEntry = z.infer<typeof auditEntrySchema>;
