import type { Failure, Profile } from '@attache/contracts';
import { findProgram } from '@attache/programs/find-program';
import { findInstalledVersion } from './find-installed-version.ts';

/** The failure of a start; it names the version of a program that is older than the one with which this release was tried. */
export async function explainStart(
  failure: Failure,
  { runtime, command }: Pick<Profile, 'runtime' | 'command'>,
  searchPath: string,
): Promise<Failure> {
  // An older program does not know the settings with which it is started, or speaks an earlier protocol.
  const tried = failure.code === 'delivery_agent_start_failed' ? findProgram(runtime, command)?.package : undefined;
  if (tried === undefined) return failure;
  const version = await findInstalledVersion(command, searchPath);
  if (version === undefined || !isOlder(version, tried.version)) return failure;
  const userMessage = `${tried.key} ${version} did not start. This release was tried with ${tried.version}: update the program, then retry.`;
  return { ...failure, userMessage, safeDetails: { ...failure.safeDetails, version, triedVersion: tried.version } };
}

function isOlder(version: string, other: string): boolean {
  const [own, others] = [numbersOf(version), numbersOf(other)];
  const index = own.findIndex((number, place) => number !== (others[place] ?? 0));
  return index !== -1 && (own[index] ?? 0) < (others[index] ?? 0);
}

const numbersOf = (version: string): number[] => version.split(/[.+-]/, 3).map(Number);
