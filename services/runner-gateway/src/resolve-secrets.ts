import { readFile } from 'node:fs/promises';
import type { AgentEndpoint } from '@attache/agent-process';
import { Fault, type Profile } from '@attache/contracts';

/** Reads a profile's secrets at spawn: `env:NAME` or `file:PATH`. Never logged. */
export async function resolveSecrets(
  profile: Pick<Profile, 'secretEnv'>,
  readVariable: (name: string) => string | undefined,
): Promise<Record<string, string>> {
  const resolved: Record<string, string> = {};
  for (const [name, reference] of Object.entries(profile.secretEnv))
    resolved[name] = await resolveSecret(reference, readVariable);
  return resolved;
}

/** The model API of a profile with its key, where it has one. */
export async function resolveEndpoint(
  { endpoint }: Pick<Profile, 'endpoint'>,
  readVariable: (name: string) => string | undefined,
): Promise<AgentEndpoint | undefined> {
  if (endpoint === undefined) return undefined;
  const { api, baseUrl, apiKey } = endpoint;
  return { api, baseUrl, ...(apiKey === undefined ? {} : { apiKey: await resolveSecret(apiKey, readVariable) }) };
}

async function resolveSecret(reference: string, readVariable: (name: string) => string | undefined): Promise<string> {
  const [source, rest] = [reference.slice(0, reference.indexOf(':')), reference.slice(reference.indexOf(':') + 1)];
  if (source === 'file') return (await readFile(rest, 'utf8')).trimEnd();
  const value = source === 'env' ? readVariable(rest) : undefined;
  if (value === undefined) throw new Fault('CONFIGURATION_INVALID', `The secret ${reference} of a profile is not set.`);
  return value;
}
