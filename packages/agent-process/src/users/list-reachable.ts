import { execFile } from 'node:child_process';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { AgentUser } from './agent-users.ts';

const PLACES_PER_RUN = 400;
const ENOUGH = 3;
/** Says for each place whether it can be read, written and entered. */
const SCRIPT = 'for f; do a=; test -r "$f" && a=r; test -w "$f" && a="$a"w; test -x "$f" && a="$a"x; echo "-$a"; done';

const run = promisify(execFile);

type Entry = { place: string; isFolder: boolean };

/**
 * Lists what a user can read or write of a folder of the platform's, up to the first few places, as the kernel answers a process of that user. It may pass
 * through folders. Its own files are left out, and links.
 */
export async function listReachable(folder: string, user: AgentUser): Promise<string[]> {
  const reached: string[] = [];
  let entries: Entry[] = [{ place: folder, isFolder: true }];
  while (entries.length > 0 && reached.length < ENOUGH) {
    const part = entries.splice(0, PLACES_PER_RUN);
    const answers = await askAs(user, part);
    for (const [index, entry] of part.entries()) {
      const answer = answers[index] ?? '';
      if (/[rw]/.test(answer)) reached.push(entry.place);
      if (entry.isFolder && answer.includes('x')) entries = [...entries, ...(await listEntries(entry.place, user))];
    }
  }
  return reached.slice(0, ENOUGH);
}

async function askAs({ uid, gid }: AgentUser, entries: readonly Entry[]): Promise<string[]> {
  const places = entries.map(({ place }) => place);
  const { stdout } = await run('/bin/sh', ['-c', SCRIPT, 'sh', ...places], { uid, gid, cwd: '/', env: {} });
  return stdout.split('\n');
}

/** An agent may be at work meanwhile: what has gone is left out. */
async function listEntries(folder: string, user: AgentUser): Promise<Entry[]> {
  const names = await readdir(folder).catch(() => []);
  const found = names.map(async (name): Promise<Entry[]> => {
    const place = join(folder, name);
    const stats = await lstat(place).catch(() => undefined);
    if (stats === undefined || stats.uid === user.uid || stats.isSymbolicLink()) return [];
    return [{ place, isFolder: stats.isDirectory() }];
  });
  return (await Promise.all(found)).flat();
}
