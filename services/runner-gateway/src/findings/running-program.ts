import type { RunningAgent } from '@attache/agent-process';
import type { Profile, Target } from '@attache/contracts';
import { findTransportRow, nameOfTransport, type TransportRow } from '@attache/domain';
import { catalog } from '@attache/programs/catalog';
import { digestSettings } from '@attache/programs/digest-settings';
import { findInstalledVersion } from './find-installed-version.ts';

/** The program of an agent that runs: the catalog's row that speaks of it, if there is one, and its version. */
export type RunningProgram = {
  row: { name: string; kinds: TransportRow['kinds'] } | undefined;
  /** As it says it, or else as npm installed it; empty if neither is known. */
  version: string;
  profile: string;
  /** Digest of the profile's settings. */
  settingsSha256: string;
};

const MAX_LENGTH = 64;

/** `searchPath`: the folders that are searched for programs named without a folder. */
export async function describeRunning(
  target: Target,
  profile: Profile,
  { programVersion: said }: Pick<RunningAgent, 'programVersion'>,
  searchPath: string,
): Promise<RunningProgram> {
  const { command } = profile;
  const row = findTransportRow(catalog, { target, command });
  const programVersion = said ?? (await findInstalledVersion(command, searchPath)) ?? '';
  return {
    row: row && { name: nameOfTransport(row), kinds: row.kinds },
    // A program may report anything as its version.
    version: programVersion.replaceAll(/[^!-~]/g, '').slice(0, MAX_LENGTH),
    profile: target.profile,
    settingsSha256: digestSettings(profile),
  };
}
