import { z } from 'zod';
import { apiKeySchema, keyNameSchema, newApiKeySchema, overlapSecondsSchema, scopesSchema } from '../access/api-key.ts';
import { type ConsumerName, type Subject, subjects, subjectsOfConsumer } from '../events/bus-messages.ts';
import { idSchema } from '../ids.ts';
import { schemaVersionSchema, timeSchema } from '../versions.ts';
import { contradictionSchema, programVersionSchema, rowInput } from './contradiction.ts';

/** Names a tenant for the operator. No path, subject or other name is built from it. */
export const tenantNameSchema = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/,
    'must be 1–100 letters, digits, ., _ or -, and begin with a letter or digit',
  );

const byteLimit = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

/** A tenant as the operator sees it. Sizes in bytes; a limit that is not there is the platform's default, or none. */
export const tenantSchema = z.object({
  id: idSchema('tenant'),
  name: z.string(),
  status: z.enum(['active', 'suspended']),
  maxUploadBytes: byteLimit.optional(),
  quotaBytes: byteLimit.optional(),
  /** The tokens that its agents may use on one day in UTC, input and output together. */
  tokensPerDay: byteLimit.optional(),
  /** How many of its agents may run at the same time, on all gateways together. */
  maxLiveAgents: byteLimit.optional(),
  /** Live bytes, and reserved bytes: those of uploads in progress, and those reserved in advance for coming uploads. */
  usedBytes: byteLimit,
  reservedBytes: byteLimit,
  createdAt: timeSchema,
  suspendedAt: timeSchema.optional(),
  schemaVersion: schemaVersionSchema,
});
export type Tenant = z.infer<typeof tenantSchema>;

const consumerNames = Object.keys(subjectsOfConsumer) as [ConsumerName, ...ConsumerName[]];

/** A bus message that failed too often or can never succeed. */
const deadLetterSchema = z.object({
  tenantId: idSchema('tenant'),
  /** Event id, a uuid. */
  id: z.uuid(),
  consumer: z.string(),
  subject: z.string(),
  /** Ids alone. */
  data: z.record(z.string(), z.string()),
  reason: z.string(),
  attempts: z.int().nonnegative(),
  createdAt: timeSchema,
  replayedAt: timeSchema.optional(),
});

const count = z.int().nonnegative();

/** The result of one pass of the collection, real or dry: blobs by their new state, and the bytes freed. */
const collectionSchema = z.object({
  condemned: count,
  revived: count,
  confirmed: count,
  deleted: count,
  orphanVariants: count,
  bytes: count,
});

const pageInput = { limit: z.int().min(1).max(1000).optional(), cursor: z.string().max(500).optional() };
const pageOf = <T extends z.ZodType>(item: T) => z.object({ items: z.array(item), nextCursor: z.string().nullable() });

const tenant = tenantNameSchema;
const tenantAnswer = z.object({ tenant: tenantSchema });
const overlapSeconds = overlapSecondsSchema.optional();
/** A limit in bytes or tokens; null takes it away. */
const limitChange = byteLimit.nullable().optional();

const command = <I extends z.ZodType, O extends z.ZodType>(input: I, output: O) => ({ input, output });

/** A gateway as the operator sees it. `dead`: its lease has ended. `leaseMs`: until then. */
const gatewaySchema = z.object({
  gateway: z.string(),
  state: z.enum(['active', 'draining', 'dead']),
  sessions: count,
  leaseMs: z.int(),
  startedAt: timeSchema,
});
export type GatewayView = z.infer<typeof gatewaySchema>;

/** A session and where it is. Without `gateway` none has had it. `released`: whichever gateway gets its next message takes it. */
const ownedSessionSchema = z.object({
  sessionId: idSchema('session'),
  state: z.enum(['owned', 'released', 'parked']),
  gateway: z.string().optional(),
  epoch: z.int().positive().optional(),
  /** Gateways in a row that died during a delivery of it. */
  deaths: count,
});
export type OwnedSessionView = z.infer<typeof ownedSessionSchema>;

const gatewayName = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1–64 letters, digits, _ or -');

/** Every command of the operator: what it takes and what it answers. Secrets are in the answers that make them, and nowhere else. */
export const operatorCommands = {
  /** Makes a tenant with a first key, whose scope is `admin`. */
  'tenant.create': command(
    z.strictObject({ name: tenant, trustedTrace: z.boolean().optional() }),
    newApiKeySchema.extend({ tenant: tenantSchema }),
  ),
  'tenant.list': command(z.strictObject(pageInput), pageOf(tenantSchema)),
  'tenant.set': command(
    z.strictObject({
      ...{ name: tenant, maxUploadBytes: limitChange, quotaBytes: limitChange },
      ...{ tokensPerDay: limitChange, maxLiveAgents: limitChange },
    }),
    tenantAnswer,
  ),
  /** From now on every credential of the tenant is refused; nothing is deleted. */
  'tenant.revoke': command(z.strictObject({ name: tenant }), tenantAnswer),
  'tenant.restore': command(z.strictObject({ name: tenant }), tenantAnswer),
  /** Ends every signed URL of the tenant that was given so far. */
  'tenant.endUrls': command(z.strictObject({ name: tenant }), tenantAnswer),
  /** Replaces every key that is usable and was not replaced before. */
  'tenant.rotate': command(
    z.strictObject({ name: tenant, overlapSeconds }),
    z.object({ tenant: tenantSchema, keys: z.array(newApiKeySchema) }),
  ),
  'key.create': command(
    z.strictObject({
      tenant,
      name: keyNameSchema,
      scopes: scopesSchema,
      expiresAt: timeSchema.optional(),
      trustedTrace: z.boolean().optional(),
    }),
    newApiKeySchema,
  ),
  'key.list': command(z.strictObject({ tenant, ...pageInput }), pageOf(apiKeySchema)),
  'key.rotate': command(z.strictObject({ tenant, keyId: idSchema('key'), overlapSeconds }), newApiKeySchema),
  'key.revoke': command(z.strictObject({ tenant, keyId: idSchema('key') }), z.object({ key: apiKeySchema })),
  'dead.list': command(z.strictObject({ tenant: tenant.optional(), ...pageInput }), pageOf(deadLetterSchema)),
  'dead.replay': command(
    z.strictObject({ tenantId: idSchema('tenant'), id: z.uuid(), consumer: z.enum(consumerNames) }),
    z.object({ outcome: z.enum(['replayed', 'already-replayed']) }),
  ),
  /** All that were not replayed yet, or those under one subject or since a time. `leftCount` could not be replayed just now. */
  'dead.replayAll': command(
    z.strictObject({ subject: z.enum(subjects as [Subject, ...Subject[]]).optional(), since: timeSchema.optional() }),
    z.object({ replayedCount: z.int(), leftCount: z.int() }),
  ),
  /** Seals every secret of every tenant to the newest key. What is left was not opened: the key of its id is not there, or it is damaged. */
  'secret.rewrap': command(
    z.strictObject({}),
    z.object({
      /** The key that all are sealed to now. */
      kid: z.string(),
      rewrappedCount: count,
      /** Saved or deleted meanwhile; what was saved is sealed to whichever key ingest has. */
      changedCount: count,
      /** Sealed to a key that is not there, by its id. */
      missingKeys: z.record(z.string(), count),
      damagedCount: count,
    }),
  ),
  /** For all tenants, from now on: the catalog's row does not carry a kind. */
  'capability.contradict': command(
    z.strictObject({ ...rowInput, programVersion: programVersionSchema, reason: z.string().trim().min(1).max(1000) }),
    z.object({ contradiction: contradictionSchema }),
  ),
  /** The catalog's row holds again: for all tenants, or for one, whose turns are then counted again. What holds for all still holds for that one. */
  'capability.restore': command(
    z.strictObject({ ...rowInput, tenant: tenant.optional() }),
    z.object({ restored: z.array(contradictionSchema), forgottenCount: count }),
  ),
  /** Lists the contradictions that hold for all tenants or, given a tenant, for that tenant. */
  'capability.list': command(
    z.strictObject({ tenant: tenant.optional() }),
    z.object({ items: z.array(contradictionSchema) }),
  ),
  /** Collects what nothing refers to any more. A dry run changes nothing. */
  'gateway.list': command(z.strictObject({}), z.object({ items: z.array(gatewaySchema) })),
  /** It lets go of its sessions as their turns end, and takes no others until it is started again. */
  'gateway.drain': command(z.strictObject({ gateway: gatewayName }), z.object({ gateway: gatewaySchema })),
  'session.list': command(
    z.strictObject({ tenant, isParked: z.boolean().optional(), ...pageInput }),
    pageOf(ownedSessionSchema),
  ),
  /** Its gateway lets go of it when its turn has ended; what waits in it continues at `to`, or at any that has room. */
  'session.move': command(
    z.strictObject({ tenant, sessionId: idSchema('session'), to: gatewayName.optional() }),
    z.object({ outcome: z.enum(['asked', 'not-owned']) }),
  ),
  'session.unpark': command(
    z.strictObject({ tenant, sessionId: idSchema('session') }),
    z.object({ outcome: z.enum(['unparked', 'not-parked']) }),
  ),
  'gc.run': command(z.strictObject({ isDryRun: z.boolean() }), collectionSchema),
} as const;

export type OperatorCommand = keyof typeof operatorCommands;
export type OperatorInput<C extends OperatorCommand> = z.infer<(typeof operatorCommands)[C]['input']>;
export type OperatorOutput<C extends OperatorCommand> = z.infer<(typeof operatorCommands)[C]['output']>;
