import { lchown, lstat, opendir } from 'node:fs/promises';
import path from 'node:path';
import type { AgentUser } from './agent-users.ts';

/**
 * Makes a user the owner of a folder and of all that is in it. No link is followed. Nothing of an agent may run meanwhile: what it put there
 * before may be anything, and none of it changes now.
 */
export async function giveFolder(folder: string, user: AgentUser): Promise<void> {
  await giveEntry(folder, user);
  const folders = [folder];
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    for await (const entry of await opendir(next)) {
      const place = path.join(next, entry.name);
      await giveEntry(place, user);
      if (entry.isDirectory()) folders.push(place);
    }
  }
}

/** Lets a user connect to a socket of the gateway's, and nobody else but root. */
export async function giveSocket(socket: string, user: AgentUser): Promise<void> {
  if ((await lstat(socket)).isSocket()) await lchown(socket, user.uid, user.gid);
}

/** Gives what the gateway has put into an agent's folder to the owner of the folder around it, where that is somebody else: by a gateway that may, root's. */
export async function giveToOwnerOfFolder(place: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await lstat(path.dirname(place));
  await giveEntry(place, { uid, gid });
}

async function giveEntry(place: string, { uid, gid }: AgentUser): Promise<void> {
  const found = await lstat(place);
  if (found.uid === uid && found.gid === gid) return;
  // Another name of a file of root's may lie anywhere.
  if (found.isFile() && found.nlink > 1 && found.uid === 0)
    throw new Error(`${place} has another name, which a program has given it`);
  await lchown(place, uid, gid);
}
