import { readFile } from 'node:fs/promises';
import { Fault, type Profile } from '@attache/contracts';

type ReadVariable = (name: string) => string | undefined;

/**
 * Reads the operator's secrets that a profile gives its children, at spawn: `env:NAME` or `file:PATH`. Never logged. Throws CONFIGURATION_INVALID for one that
 * is not there or empty, by its place in the profile.
 */
export async function resolveSecrets(
  profile: Pick<Profile, 'secretEnv'>,
  readVariable: ReadVariable,
): Promise<Record<string, string>> {
  const resolved: Record<string, string> = {};
  for (const [name, reference] of Object.entries(profile.secretEnv))
    resolved[name] = await resolveSecret(`secretEnv.${name}`, reference, readVariable);
  return resolved;
}

/** The source of the key of a model API. */
export type KeySources = { readVariable: ReadVariable; readTenantSecret(name: string): Promise<string> };

/** The key of a profile's model API; undefined if it names none. Throws likewise, and as `readTenantSecret` does. */
export async function readEndpointKey(
  { apiKey }: Pick<NonNullable<Profile['endpoint']>, 'apiKey'>,
  { readVariable, readTenantSecret }: KeySources,
): Promise<string | undefined> {
  if (apiKey === undefined) return undefined;
  const [, name] = /^tenant:(.+)$/.exec(apiKey) ?? [];
  return name === undefined ? resolveSecret('endpoint.apiKey', apiKey, readVariable) : readTenantSecret(name);
}

async function resolveSecret(place: string, reference: string, readVariable: ReadVariable): Promise<string> {
  const [source, rest] = [reference.slice(0, reference.indexOf(':')), reference.slice(reference.indexOf(':') + 1)];
  const value = source === 'file' ? await readSecretFile(place, rest) : readVariable(rest);
  if (value === undefined || value === '')
    throw new Fault('CONFIGURATION_INVALID', `${place} is ${value === undefined ? 'not set' : 'empty'}.`);
  return value;
}

async function readSecretFile(place: string, path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trimEnd();
  } catch (cause) {
    throw new Fault('CONFIGURATION_INVALID', `${place} cannot be read.`, { cause });
  }
}
