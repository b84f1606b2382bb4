import { z } from 'zod';
import dto from '../../golden/v1/dto.json' with { type: 'json' };
import { actorSchema } from '../access/actor.ts';
import { apiSchemas } from '../api-schemas.ts';
import { schemaVersionSchema, timeSchema } from '../versions.ts';

const operatorActorSchema = z
  .object({ type: z.literal('operator'), id: z.literal('operator') })
  .register(apiSchemas, { id: 'OperatorActor', description: 'The operator of the platform.' });

export const auditActorSchema = z
  .discriminatedUnion('type', [...actorSchema.options, operatorActorSchema])
  .register(apiSchemas, { id: 'AuditActor', description: 'Whoever acts, the operator of the platform too.' });
export type AuditActor = z.infer<typeof auditActorSchema>;

const auditActions = [
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
  /** Content that left for models contradicts the catalog's row of a program. */
  'capability.contradicted',
  /** Parts for a model API were handed out: the provider and model, and the number of parts of each form. */
  'projection.made',
  /** A caller lacked a right. At most some per minute are kept of one tenant. */
  'access.denied',
  'secret.saved',
  'secret.deleted',
  /** The gateway opened a secret for an agent. At most once per secret and minute. */
  'secret.used',
  /** A new list of origins whose pages may call the API: how many. */
  'origins.saved',
  /** The operator changed limits, ended all signed URLs, or suspended or restored the tenant. */
  'tenant.changed',
] as const;
export const auditActionSchema = z
  .enum(auditActions)
  .register(apiSchemas, { id: 'AuditAction', description: 'What was done.' });
export type AuditAction = z.infer<typeof auditActionSchema>;

/** Made by ingest and the operator, read by callers. Holds no base64 and no path; may be logged. */
export const auditEntrySchema = z
  .object({
    id: z.uuid(),
    at: timeSchema,
    actor: auditActorSchema,
    action: auditActionSchema.describe('What was done.'),
    subjectId: z.string().optional().describe('What it was done to.'),
    data: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
      .describe('More about it: ids, counts and short words.'),
    schemaVersion: schemaVersionSchema,
  })
  .register(apiSchemas, {
    id: 'AuditEntry',
    description: 'One entry of the tenant’s audit log. It holds ids, counts and short words.',
    examples: [dto['dto.audit-entry.key']],
  });
export type AuditEntry = z.infer<typeof auditEntrySchema>;
