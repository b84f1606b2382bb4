import { lchown, lstat } from 'node:fs/promises';
import path from 'node:path';
import { listEntries } from '../folder/open-folder.ts';
import type { AgentUser } from './agent-users.ts';

/**
 * Makes a user the owner of a folder and of all that is in it. No link is followed. No process of an agent may run meanwhile: its earlier files there may be
 * anything, and none of them changes now.
 */
export async function giveFolder(folder: string, user: AgentUser): Promise<void> {
  await giveEntry(folder, user);
  const folders = [Buffer.from(folder)];
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    for await (const entry of listEntries(next)) {
      const place = Buffer.concat([next, Buffer.from('/'), entry.name]);
      await giveEntry(place, user);
      if (entry.isDirectory()) folders.push(place);
    }
  }
}

/** Lets a user connect to a socket of the gateway's, and nobody else but root. */
export async function giveSocket(socket: string, user: AgentUser): Promise<void> {
  if ((await lstat(socket)).isSocket()) await lchown(socket, user.uid, user.gid);
}

/**
 * Gives files that the gateway has put into an agent's folder to the owner of the folder around it, if that is another user: done by a gateway that may, which
 * is root's.
 */
export async function giveToOwnerOfFolder(place: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await lstat(path.dirname(place));
  await giveEntry(place, { uid, gid });
}

async function giveEntry(place: string | Buffer, { uid, gid }: AgentUser): Promise<void> {
  const found = await lstat(place);
  if (found.uid === uid && found.gid === gid) return;
  // A file of root's may have another name anywhere.
  if (found.isFile() && found.nlink > 1 && found.uid === 0)
    throw new Error(`${place} has another name, which a program has given it`);
  await lchown(place, uid, gid);
}
