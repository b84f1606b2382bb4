import { z } from 'zod';
import { SECRET_NAME } from '../access/tenant-secret.ts';
import { modelSchema, profileNameSchema, runtimeSchema } from './target.ts';

export const DEFAULT_LINE_BYTES = 32 * 1024 * 1024;

/** `tenant:NAME`, a secret that each tenant saves for itself, is taken in `endpoint.apiKey` alone: no child may hold it. */
const secretReferenceSchema = z
  .string()
  .regex(
    new RegExp(`^(env:[A-Za-z_][A-Za-z0-9_]*|file:\\/.+|tenant:${SECRET_NAME})$`),
    'must be env:NAME, file:/PATH or tenant:NAME',
  );

const endpointEnvSchema = z
  .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of a variable'), z.string())
  .refine((env) => ['{baseUrl}', '{key}'].every((each) => Object.values(env).some((value) => value.includes(each))), {
    message: 'must say with {baseUrl} and {key} which variables hold the address of the relay and the key for it',
  });

const endpointSchema = z.strictObject({
  api: z.enum(['anthropic', 'openai-responses', 'openai-chat', 'google']),
  baseUrl: z.url(),
  apiKey: secretReferenceSchema.optional(),
  /** Variables of the program by which it finds the relay. `{baseUrl}`, `{key}` and `{model}` in a value become those of its agent. */
  env: endpointEnvSchema.optional(),
  /** Models that its agents may use besides the target's. If a target leaves the model to its program: all models that it may use; if absent, any. */
  models: z.array(modelSchema).optional(),
  /** Tools of the model API itself that its agents may use. */
  serverTools: z.array(z.string().min(1)).optional(),
  /** Whether the model API may fetch files from URLs that its agents name. Absent: `deny`. */
  urlSources: z.enum(['deny', 'allow']).optional(),
});

const limitsSchema = z.strictObject({
  memoryBytes: z.int().positive().optional(),
  cpuSeconds: z.int().positive().optional(),
  /** The disk space that an agent's folder may use. */
  folderBytes: z.int().positive().optional(),
  idleStopMs: z.int().positive().optional(),
  /** Until the program can take a prompt. */
  startMs: z.int().positive().optional(),
  turnMs: z.int().positive().optional(),
  /** Maximum size of a checkpoint before it is packed; 0 turns checkpoints off. */
  checkpointBytes: z.int().nonnegative().optional(),
  /** The bytes that the program may write in one turn. */
  outputBytes: z.int().positive().optional(),
  /** Maximum length of one line of the agent's protocol. */
  lineBytes: z.int().min(1024).default(DEFAULT_LINE_BYTES),
});

const absolutePathSchema = z
  .string()
  .regex(/^\/(?!.*(^|\/)\.\.?(\/|$)).+$/, 'must be an absolute path without . and ..');

const NAME_AND_PORT =
  /^(?!.*(?:^|\.)(?:\d+|0x[\da-f]*):)(?=.{1,253}:)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*:(?:[1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5])$/;
const nameAndPortSchema = z
  .string()
  .regex(NAME_AND_PORT, 'must be a name in small letters and a port, as in api.example.com:443');

/** The operator's sandbox for a profile's agents. The stack's setting applies to every absent field. */
const sandboxSchema = z.strictObject({
  /** `command`: a wrapper of the operator's own is started before the program. `none`: they run as the gateway's user, and see what that sees. */
  mode: z.enum(['bubblewrap', 'command', 'none']).optional(),
  /** Program and arguments of the wrapper, with placeholders such as `{folder}`. Its guarantees are the operator's. */
  command: z.array(z.string().min(1)).min(1).optional(),
  /**
   * `relay`: the profile's `endpoint` and nothing else. `none`: nothing. `allow`: these too, by a proxy that takes CONNECT and no addresses.
   * Absent: `relay` where there is an `endpoint`, else the hosts that its program is known to need. A wrapper decides itself.
   */
  network: z
    .union([z.enum(['relay', 'none']), z.strictObject({ allow: z.array(nameAndPortSchema).min(1).max(100) })])
    .optional(),
  /** Paths that an agent may read besides its own folder, the system's programs and its program's files. */
  readOnly: z.array(absolutePathSchema).default([]),
  /** The limit for all its processes together. `limits.memoryBytes` counts too, and the smaller one applies. */
  memoryBytes: z.int().positive().optional(),
  /** How many processes may run at once. */
  pids: z.int().min(1).optional(),
});

/** The operator's statement of what the profile's model accepts, and whether its program reads files. */
const profileCapabilitySchema = z.strictObject({
  image: z.boolean().optional(),
  pdf: z.boolean().optional(),
  text: z.boolean().optional(),
  audio: z.boolean().optional(),
  video: z.boolean().optional(),
  /** Whether the program reads a file by its path, with tools of its own, after it got the path by a tool of ours. */
  files: z.boolean().optional(),
});

/**
 * The mode for the agent's own tools: `gated` runs the calls that the argument gate passes, `deny` runs none; `default` is the stack's choice. Attaché's own
 * tools run in all of them.
 */
export const permissionModes = ['default', 'gated', 'deny'] as const;

/**
 * An agent that the operator offers to run. Made by the operator, read by ingest and the gateway. Holds no base64, but paths and `env`, so it is never logged.
 * `command` is an argument array; no value is interpreted by a shell.
 */
export const profileSchema = z
  .strictObject({
    runtime: runtimeSchema,
    command: z.array(z.string().min(1)).min(1),
    args: z.array(z.string()).default([]),
    provider: z.string().min(1).optional(),
    model: modelSchema.optional(),
    endpoint: endpointSchema.optional(),
    env: z.record(z.string(), z.string()).default({}),
    secretEnv: z.record(z.string(), secretReferenceSchema).default({}),
    home: z.string().optional(),
    workspace: z.string().optional(),
    limits: limitsSchema.prefault({}),
    sandbox: sandboxSchema.optional(),
    capability: profileCapabilitySchema.optional(),
    /** One of `permissionModes`. */
    permissionMode: z.string().optional(),
    /** The operator's statement that the program has no tools of its own: under `deny`, a program of which nothing is known needs it. */
    ownTools: z.literal('none').optional(),
  })
  .refine(({ sandbox }) => (sandbox?.mode === 'command') === (sandbox?.command !== undefined), {
    path: ['sandbox', 'command'],
    message: 'must be the wrapper and its arguments where the mode is command, and nothing in other modes',
  })
  .refine(({ sandbox }) => sandbox?.mode !== 'command' || typeof sandbox.network !== 'object', {
    path: ['sandbox', 'network'],
    message: 'cannot allow hosts in the mode command: the wrapper decides what its agents reach',
  })
  .refine(
    ({ sandbox, endpoint }) =>
      sandbox === undefined ||
      sandbox.mode === 'none' ||
      sandbox.mode === 'command' ||
      typeof (sandbox.network ?? {}) === 'object' ||
      (sandbox.network === 'relay') === (endpoint !== undefined),
    {
      path: ['sandbox', 'network'],
      message: 'must be relay where the profile has an endpoint, none where it has not, or allow hosts',
    },
  );
export type Profile = z.infer<typeof profileSchema>;

/** The file behind `ATTACHE_PROFILES`. */
export const profilesFileSchema = z.strictObject({ profiles: z.record(profileNameSchema, profileSchema) });
export type Profiles = Readonly<Record<string, Profile>>;

/** JSON Schema of the profiles file, for editors and for checks before a start. */
export function describeProfilesFile(): object {
  return z.toJSONSchema(profilesFileSchema, { io: 'input' });
}
