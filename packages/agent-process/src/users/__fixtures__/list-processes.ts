import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** The kernel's facts about a process. */
export type SeenProcess = ReturnType<typeof describeProcess>;

/** The processes of this machine that run as a user, those that have ended left out. */
export const listProcesses = (uid: number): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const { users, state } = describeProcess(pid);
      return users[0] === uid && !state.startsWith('Z');
    });

/** The user of a process, its rights, and its network; empty if it is gone. */
export function describeProcess(pid: number) {
  const status = readEntry(pid, 'status');
  const read = (name: string) => new RegExp(`^${name}:\\s*(.+)$`, 'm').exec(status)?.[1] ?? '';
  const numbers = (name: string) => read(name).split(/\s+/).map(Number);
  return {
    ...{ state: read('State'), users: numbers('Uid'), groups: numbers('Gid') },
    ...{ capabilities: read('CapEff'), noNewPrivileges: read('NoNewPrivs'), seccomp: read('Seccomp') },
    network: readNetwork(pid),
    command: readEntry(pid, 'cmdline').split('\0'),
  };
}

function readEntry(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1');
  } catch {
    return '';
  }
}

function readNetwork(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`);
  } catch {
    return '';
  }
}
