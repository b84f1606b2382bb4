import type { Stats } from 'node:fs';
import { chmod, lchown, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { AgentUser } from './agent-users.ts';

const READ = 4;
const ENTER = 1;

/** Whether the permission bits let a user do what `wanted` says. */
function mayUse(found: Pick<Stats, 'mode' | 'uid' | 'gid'>, { uid, gid }: AgentUser, wanted: number): boolean {
  if (found.uid === uid) return ((found.mode >> 6) & wanted) === wanted;
  if (found.gid === gid) return ((found.mode >> 3) & wanted) === wanted;
  return (found.mode & wanted) === wanted;
}

/** The outermost folder above one of the places that the user cannot enter, or the place itself where it cannot be read. */
export async function findBarrier(places: Iterable<string>, user: AgentUser): Promise<string | undefined> {
  const known = new Map<string, Promise<Stats>>();
  const look = (place: string) => {
    const looked = known.get(place) ?? stat(place);
    known.set(place, looked);
    return looked;
  };
  for (const place of places) {
    const real = await realpath(place);
    for (const folder of listAbove(real)) if (!mayUse(await look(folder), user, ENTER)) return folder;
    const found = await look(real);
    if (!found.isSocket() && !mayUse(found, user, found.isDirectory() ? READ | ENTER : READ)) return real;
  }
  return undefined;
}

/** The outermost folder that the user cannot enter, of one and those above it. */
export async function findClosedFolder(folder: string, user: AgentUser): Promise<string | undefined> {
  const real = await realpath(folder);
  for (const each of [...listAbove(real), real]) if (!mayUse(await stat(each), user, ENTER)) return each;
  return undefined;
}

/** All folders above a place, the root first. */
function listAbove(place: string): string[] {
  const above = path.dirname(place);
  return above === place ? [] : [...listAbove(above), above];
}

/**
 * Lets agents' group pass through folders of the platform's own on the way to `places`: they may enter, and not list. Only those are changed
 * that nobody but their owner could use before.
 */
export async function letPass(
  places: readonly string[],
  privateFolders: readonly string[],
  { gid }: AgentUser,
): Promise<void> {
  const isPrivate = (folder: string) => privateFolders.some((each) => folder === each || folder.startsWith(`${each}/`));
  const folders = new Set((await Promise.all(places.map((place) => realpath(place)))).flatMap(listAbove));
  for (const folder of [...folders].filter(isPrivate)) {
    const found = await stat(folder);
    if ((found.mode & 0o067) !== 0 || found.uid !== process.getuid?.()) continue;
    await lchown(folder, found.uid, gid);
    await chmod(folder, (found.mode & 0o7777) | 0o010);
  }
}

/** Explains a barrier to the person who starts agents. */
export const describeBarrier = (barrier: string, { uid }: AgentUser): string =>
  `${barrier} cannot be entered or read by the user ${uid}, as which an agent or a media worker would run: install the program in a folder that everybody may read, or let others enter (chmod o+rx)`;
