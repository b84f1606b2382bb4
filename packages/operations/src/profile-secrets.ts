import { readFileSync } from 'node:fs';
import type { Profile } from '@attache/contracts';

export type ReadVariable = (name: string) => string | undefined;

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

/** What a profile's secrets lack, each with its place in the profile; never a value. */
export function findMissingSecrets(
  { secretEnv, endpoint }: Pick<Profile, 'secretEnv' | 'endpoint'>,
  readVariable: ReadVariable,
): string[] {
  const named = Object.entries(secretEnv).map(([name, reference]) => [`secretEnv.${name}`, reference] as const);
  const key = endpoint?.apiKey === undefined ? [] : ([['endpoint.apiKey', endpoint.apiKey]] as const);
  return [...named, ...key].flatMap(([place, reference]) => {
    // Refused for what they are.
    if (reference.startsWith('tenant:') || readSecret(reference, readVariable) !== undefined) return [];
    const isFile = reference.startsWith('file:');
    return [`${place} names ${reference}, ${isFile ? 'which cannot be read' : 'which is not set'}`];
  });
}
