import { readdir, readFile } from 'node:fs/promises';
import type { UserRange, UsersOfMachine } from './users-of-machine.ts';

/** Looks at the processes of this machine. */
export const listBusyUsers: UsersOfMachine = {
  async listBusy(range) {
    return new Set((await listProcesses(range)).flatMap(({ users }) => users));
  },
  async endAll(uid) {
    for (const { pid } of await listProcesses({ first: uid, last: uid })) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has just ended.
      }
    }
  },
};

type Owned = { pid: number; users: number[] };

/** Processes whose real, effective, saved or file system's user is in the range. */
async function listProcesses({ first, last }: UserRange): Promise<Owned[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const all = await Promise.all(pids.map(async (pid) => ({ pid, users: await readUsers(pid) })));
  return all
    .map(({ pid, users }) => ({ pid, users: users.filter((uid) => uid >= first && uid <= last) }))
    .filter(({ users }) => users.length > 0);
}

/** The owner of its folder in `/proc` would not do: of a process that cannot be traced that is root. */
async function readUsers(pid: number): Promise<number[]> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const users = /^Uid:\s*(.+)$/m.exec(status)?.[1];
  return users === undefined ? [] : users.split(/\s+/).map(Number);
}
