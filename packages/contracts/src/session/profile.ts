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
  api: z.enum(['anthropic', 'openai-responses', 'openai-chat', 'google']).describe('Which model API it is.'),
  baseUrl: z.url().describe('Its address, for the APIs of OpenAI with `/v1`.'),
  apiKey: secretReferenceSchema
    .optional()
    .describe('Its key, as `env:NAME`, `file:/PATH` or `tenant:NAME`. No agent holds it.'),
  env: endpointEnvSchema
    .optional()
    .describe(
      'Variables of the program by which it finds the relay. `{baseUrl}`, `{key}` and `{model}` in a value become those of its agent.',
    ),
  models: z
    .array(modelSchema)
    .optional()
    .describe(
      'Models that its agents may use besides the target’s. If a target leaves the model to its program: all models that it may use; if absent, any.',
    ),
  serverTools: z.array(z.string().min(1)).optional().describe('Tools of the model API itself that its agents may use.'),
  urlSources: z
    .enum(['deny', 'allow'])
    .optional()
    .describe('Whether the model API may fetch files from URLs that its agents name. Absent: `deny`.'),
});

const limitsSchema = z.strictObject({
  memoryBytes: z
    .int()
    .positive()
    .optional()
    .describe('Resident memory of the program and all that it starts; more ends it.'),
  cpuSeconds: z.int().positive().optional().describe('Processor time of each of its processes.'),
  folderBytes: z
    .int()
    .positive()
    .optional()
    .describe('The disk space that an agent’s folder may use; more ends the agent.'),
  idleStopMs: z
    .int()
    .positive()
    .optional()
    .describe('An agent without work for so long is stopped. The next message starts it again.'),
  startMs: z.int().positive().optional().describe('The time until the program can take a prompt.'),
  turnMs: z.int().positive().optional().describe('The time of one turn.'),
  checkpointBytes: z
    .int()
    .nonnegative()
    .optional()
    .describe('Maximum size of a checkpoint before it is packed; 0 turns checkpoints off.'),
  outputBytes: z
    .int()
    .positive()
    .optional()
    .describe('The bytes that the program may write in one turn; more ends it.'),
  lineBytes: z
    .int()
    .min(1024)
    .default(DEFAULT_LINE_BYTES)
    .describe('Maximum length of one line of the agent’s protocol.'),
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
  mode: z
    .enum(['bubblewrap', 'command', 'none'])
    .optional()
    .describe(
      '`bubblewrap`: in a sandbox or not at all. `command`: a wrapper of the operator’s own is started before the program. `none`: they run as the gateway’s user, and see what that sees.',
    ),
  command: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe(
      'Program and arguments of the wrapper, with placeholders such as `{folder}`. Its guarantees are the operator’s.',
    ),
  network: z
    .union([
      z.enum(['relay', 'none']),
      z.strictObject({ allow: z.array(nameAndPortSchema).min(1).max(100).describe('Hosts, each with a port.') }),
    ])
    .optional()
    .describe(
      '`relay`: the profile’s `endpoint` and nothing else. `none`: nothing. `allow`: these too, by a proxy that takes CONNECT and no addresses. Absent: `relay` where there is an `endpoint`, else the hosts that its program is known to need. A wrapper decides itself.',
    ),
  readOnly: z
    .array(absolutePathSchema)
    .default([])
    .describe(
      'Absolute paths that an agent may read besides its own folder, the system’s programs and its program’s files.',
    ),
  memoryBytes: z
    .int()
    .positive()
    .optional()
    .describe(
      'The memory of all its processes together. `limits.memoryBytes` counts too, and the smaller one applies.',
    ),
  pids: z.int().min(1).optional().describe('How many processes may run at once; more end the agent.'),
});

/** The operator's statement of what the profile's model accepts, and whether its program reads files. */
const profileCapabilitySchema = z.strictObject({
  image: z.boolean().optional().describe('Whether the model takes images.'),
  pdf: z.boolean().optional().describe('Whether the model takes PDF files.'),
  text: z.boolean().optional().describe('Whether the model takes text.'),
  audio: z.boolean().optional().describe('Whether the model takes sound.'),
  video: z.boolean().optional().describe('Whether the model takes video.'),
  files: z
    .boolean()
    .optional()
    .describe(
      'Whether the program reads a file by its path, with tools of its own, after it got the path by a tool of ours.',
    ),
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
    runtime: runtimeSchema.describe('The protocol that the program speaks.'),
    command: z
      .array(z.string().min(1))
      .min(1)
      .describe(
        'The program and its first arguments, run without a shell. The program is an absolute path or a name on PATH.',
      ),
    args: z.array(z.string()).default([]).describe('Arguments after those of `command`.'),
    provider: z
      .string()
      .min(1)
      .optional()
      .describe('The provider under which plans look up the model and receipts name it. Absent: the profile’s name.'),
    model: modelSchema.optional().describe('The model of agents whose target names none.'),
    endpoint: endpointSchema
      .optional()
      .describe('The model API that the program calls through the relay. Absent: its own, without the relay.'),
    env: z.record(z.string(), z.string()).default({}).describe('Variables of the program.'),
    secretEnv: z
      .record(z.string(), secretReferenceSchema)
      .default({})
      .describe(
        'Variables of the program whose values are read at each of its starts, from `env:NAME` of the gateway or `file:/PATH`.',
      ),
    home: z
      .string()
      .optional()
      .describe('A folder that is copied once into the configuration of each new agent: a sign-in, settings.'),
    workspace: z.string().optional().describe('Kept for a later release: a profile with it is refused.'),
    limits: limitsSchema.prefault({}).describe('What an agent may use.'),
    sandbox: sandboxSchema
      .optional()
      .describe('The sandbox of the agents. The stack’s setting applies to each absent field.'),
    capability: profileCapabilitySchema
      .optional()
      .describe('The operator’s statement of what the model takes, and whether the program reads files.'),
    permissionMode: z
      .string()
      .optional()
      .describe(
        'The mode of the agent’s own tools: `gated` runs the calls that the argument gate passes, `deny` runs none, `default` is the stack’s choice.',
      ),
    ownTools: z
      .literal('none')
      .optional()
      .describe(
        'The operator’s statement that the program has no tools of its own: under `deny`, a program of which nothing is known needs it.',
      ),
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
export const profilesFileSchema = z.strictObject({
  profiles: z.record(profileNameSchema, profileSchema).describe('The agents that this stack offers, by name.'),
});
export type Profiles = Readonly<Record<string, Profile>>;

/** JSON Schema of the profiles file, for editors and for checks before a start. */
export function describeProfilesFile(): object {
  return z.toJSONSchema(profilesFileSchema, { io: 'input' });
}
