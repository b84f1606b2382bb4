import { hash } from 'node:crypto';
import type { Profile } from '@attache/contracts';
import { programNameOf } from '@attache/domain';

/**
 * Names the settings with which a profile starts its program. Two profiles that start the same program in the same way have the same digest, wherever it
 * is installed and whatever its agents may use up. It covers names of secrets, and no secret.
 */
export function digestSettings({ limits: _, command, ...rest }: Profile): string {
  const settings = { ...rest, command: command.map(programNameOf) };
  return hash('sha256', JSON.stringify(settings, sortKeys));
}

const sortKeys = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value;
