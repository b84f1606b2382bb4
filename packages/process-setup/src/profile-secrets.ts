import { readFileSync } from 'node:fs';
import type { Profile } from '@attache/contracts';

export type ReadVariable = (name: string) => string | undefined;

/** The sources of a process for the secrets that profiles name. */
export type SecretSources = {
  readVariable: ReadVariable;
  /** Whether it has keys that open what tenants save. */
  opensTenantSecrets: boolean;
};

/** The value behind `env:NAME` or `file:PATH`; undefined where there is none. */
export function readSecret(reference: string, readVariable: ReadVariable): string | undefined {
  const colon = reference.indexOf(':');
  const [source, rest] = [reference.slice(0, colon), reference.slice(colon + 1)];
  if (source === 'env') return readVariable(rest);
  if (source !== 'file') return undefined;
  try {
    return readFileSync(rest, 'utf8').trimEnd();
  } catch {
    return undefined;
  }
}

/** Finds the missing secrets of a profile, each with its place in the profile; never a value. */
export function findMissingSecrets(
  { secretEnv, endpoint }: Pick<Profile, 'secretEnv' | 'endpoint'>,
  { readVariable, opensTenantSecrets }: SecretSources,
): string[] {
  const named = Object.entries(secretEnv).map(([name, reference]) => [`secretEnv.${name}`, reference] as const);
  const key = endpoint?.apiKey === undefined ? [] : ([['endpoint.apiKey', endpoint.apiKey]] as const);
  return [...named, ...key].flatMap(([place, reference]) => {
    // Whether a tenant has saved it is seen when it is used. In the place of another secret it is refused for what it is.
    if (reference.startsWith('tenant:'))
      return opensTenantSecrets || place !== 'endpoint.apiKey'
        ? []
        : [`${place} names ${reference}, and ATTACHE_SECRET_KEYS is not set`];
    if (readSecret(reference, readVariable) !== undefined) return [];
    const isFile = reference.startsWith('file:');
    return [`${place} names ${reference}, ${isFile ? 'which cannot be read' : 'which is not set'}`];
  });
}
