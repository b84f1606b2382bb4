import { realpath } from 'node:fs/promises';
import { findOverlap, findProgramPlaces, type ProgramPlaces } from '../find-program-places.ts';
import { folderInside } from '../spec-inside.ts';
import type { SandboxRequest } from './sandbox-request.ts';

/** Read-only places; nothing of them leads into the platform's own folders. */
export type Shown = ({ status: 'found' } & ProgramPlaces) | { status: 'refused'; reason: string };

/** The program's own files, those of the bridge to its attachments, and what its profile names. */
export async function findShown({
  spec,
  program,
  fixedArgs,
  settingsArgs,
  searchPath,
}: SandboxRequest): Promise<Shown> {
  const { readOnly } = spec.sandbox;
  const privateFolders = await Promise.all(spec.sandbox.privateFolders.map((folder) => realpath(folder)));
  const ours = settingsArgs.filter((each) => !each.startsWith(`${folderInside(spec)}/`));
  const own = await findProgramPlaces([program, ...fixedArgs, ...ours], searchPath, privateFolders);
  if (own.status === 'refused') return own;
  const bridge =
    spec.mcpCommand === undefined ? undefined : await findProgramPlaces(spec.mcpCommand, searchPath, privateFolders);
  if (bridge?.status === 'refused') return bridge;
  const asked = await Promise.all(readOnly.map((place) => findReadOnly(place, privateFolders)));
  const refused = asked.find((each) => 'reason' in each);
  if (refused) return { status: 'refused', reason: refused.reason };
  return {
    ...own,
    trees: [...new Set([...own.trees, ...(bridge?.trees ?? [])])],
    covered: [...new Set([...own.covered, ...(bridge?.covered ?? [])])],
    files: [...own.files, ...(bridge?.files ?? []), ...asked.flatMap((each) => ('source' in each ? [each] : []))],
  };
}

/** A path that the profile shows, unless it leads into the platform's own folders, or all of the machine. */
async function findReadOnly(
  place: string,
  privateFolders: readonly string[],
): Promise<{ source: string; place: string } | { reason: string }> {
  const source = await realpath(place).catch(() => undefined);
  if (source === undefined) return { reason: `readOnly names ${place}, which is not there` };
  const overlapped = findOverlap(source, privateFolders);
  if (overlapped !== undefined) return { reason: `readOnly names ${place}, and ${overlapped} must not be shown` };
  if (/^\/(proc|sys|dev|agent|run\/attache)?(\/|$)/.test(place) || /^\/(proc|sys|dev)?(\/|$)/.test(source))
    return { reason: `readOnly names ${place}, which a sandbox has of its own` };
  return { source, place };
}
