import { closeSync, openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

const attempts: Record<string, (folder: string) => void> = {
  mem: (folder) => closeSync(openSync(`${folder}/mem`, 'r+')),
  environ: (folder) => void readFileSync(`${folder}/environ`),
  fd: (folder) => void readlinkSync(`${folder}/fd/${readdirSync(`${folder}/fd`)[0]}`),
  exe: (folder) => void readlinkSync(`${folder}/exe`),
  cwd: (folder) => void readlinkSync(`${folder}/cwd`),
};

/** Tries to read the program's own process, and every process of its box: `open`, or why it is refused. */
export async function reachBox() {
  return { self: tryAll('/proc/self'), boxes: listBoxes().map((id) => tryAll(`/proc/${id}`)) };
}

/** Process ids of the box: the first, then its forwarder. */
export function listBoxes(): string[] {
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return ids.filter((id) => readFileSync(`/proc/${id}/comm`, 'utf8') === 'attache-box\n');
}

function tryAll(folder: string): Record<string, string> {
  return Object.fromEntries(Object.entries(attempts).map(([name, attempt]) => [name, tryOnce(() => attempt(folder))]));
}

function tryOnce(attempt: () => void): string {
  try {
    attempt();
    return 'open';
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  }
}
