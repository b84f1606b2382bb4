import { z } from 'zod';
import { apiSchemas } from '../api-schemas.ts';

export const runtimes = [
  'claude-stream-json',
  'codex-app-server',
  'codex-exec',
  'opencode-serve',
  'opencode-run',
  'pi-rpc',
  'acp',
] as const;
export const runtimeSchema = z
  .enum(runtimes)
  .register(apiSchemas, { id: 'Runtime', description: 'The protocol by which an agent program is spoken to.' });
export type Runtime = z.infer<typeof runtimeSchema>;

/** Model names are labels of the provider's own; only their shape is checked. */
export const modelSchema = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,127}$/, 'must be a model name');

/** Profile names are the operator's. */
export const profileNameSchema = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, 'must be a profile name');

export const targetRequestSchema = z
  .strictObject({ profile: z.string(), model: z.string().optional() })
  .register(apiSchemas, { id: 'TargetRequest', description: 'Which profile and model an agent is to be.' });
export type TargetRequest = z.infer<typeof targetRequestSchema>;

/** Made by ingest, read by all. Holds no base64 and no path; may be logged. */
export const targetSchema = z
  .object({
    profile: profileNameSchema,
    runtime: runtimeSchema.describe('The protocol by which the agent’s program is spoken to.'),
    provider: z.string(),
    model: modelSchema,
  })
  .register(apiSchemas, {
    id: 'Target',
    description: 'What an agent is: a profile resolved to runtime, provider and model.',
  });
export type Target = z.infer<typeof targetSchema>;

/** Formats of model APIs for platforms that call one themselves; `acp` is also a runtime. */
export const projectionFormats = ['anthropic', 'openai-responses', 'openai-chat', 'google', 'acp'] as const;
export const projectionFormatSchema = z
  .enum(projectionFormats)
  .register(apiSchemas, { id: 'ProjectionFormat', description: 'The format of a model API.' });
export type ProjectionFormat = z.infer<typeof projectionFormatSchema>;

/** The way a message reaches a model: an agent's protocol, or a model API's format. */
export type Transport = Runtime | ProjectionFormat;
export const transports: readonly Transport[] = [...new Set([...runtimes, ...projectionFormats])];

/** The target of a plan: an agent's target, or a model behind its provider's API. `profile` is absent for the latter. */
export type PlanTarget = { profile?: string | undefined; runtime: Transport; provider: string; model: string };
