import { z } from 'zod';

export const runtimes = [
  'claude-stream-json',
  'codex-app-server',
  'codex-exec',
  'opencode-serve',
  'opencode-run',
  'pi-rpc',
  'acp',
] as const;
export const runtimeSchema = z.enum(runtimes);
export type Runtime = z.infer<typeof runtimeSchema>;

/** Model names are labels of the provider's own; only their shape is checked. */
export const modelSchema = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,127}$/, 'must be a model name');

/** Profile names are the operator's. */
export const profileNameSchema = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, 'must be a profile name');

/** What a caller names. */
export const targetRequestSchema = z.strictObject({ profile: z.string(), model: z.string().optional() });
export type TargetRequest = z.infer<typeof targetRequestSchema>;

/** What an agent is: a profile resolved to runtime, provider and model. Made by ingest, read by all. Holds no base64 and no path; may be logged. */
export const targetSchema = z.object({
  profile: profileNameSchema,
  runtime: runtimeSchema,
  provider: z.string(),
  model: modelSchema,
});
export type Target = z.infer<typeof targetSchema>;

/** Formats of model APIs for platforms that call one themselves; `acp` is also a runtime. */
export const projectionFormats = ['anthropic', 'openai-responses', 'openai-chat', 'google', 'acp'] as const;
export const projectionFormatSchema = z.enum(projectionFormats);
export type ProjectionFormat = z.infer<typeof projectionFormatSchema>;

/** By what a message travels: an agent's protocol, or a model API's format. */
export type Transport = Runtime | ProjectionFormat;
export const transports: readonly Transport[] = [...new Set([...runtimes, ...projectionFormats])];

/** What a plan is made for: a target, or a model behind its provider's API. `profile` is absent for the latter. */
export type PlanTarget = { profile?: string | undefined; runtime: Transport; provider: string; model: string };
