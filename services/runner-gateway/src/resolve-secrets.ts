import { readFile } from 'node:fs/promises';
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

async function resolveSecret(reference: string, readVariable: (name: string) => string | undefined): Promise<string> {
  const [source, rest] = [reference.slice(0, reference.indexOf(':')), reference.slice(reference.indexOf(':') + 1)];
  if (source === 'file') return (await readFile(rest, 'utf8')).trimEnd();
  const value = source === 'env' ? readVariable(rest) : undefined;
  if (value === undefined) throw new Fault('CONFIGURATION_INVALID', `The secret ${reference} of a profile is not set.`);
  return value;
}
