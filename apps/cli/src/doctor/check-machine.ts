import { access, constants, mkdir, rm, statfs, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Check, Finding } from './finding.ts';

type Found = Omit<Finding, 'name'>;

const MIN_NODE = [24, 0] as const;
const LOW_DISK_BYTES = 1024 ** 3;

function checkNode(): Found {
  const [major = 0] = process.versions.node.split('.').map(Number);
  const detail = `Node ${process.versions.node} on ${process.platform} ${process.arch}`;
  if (major < MIN_NODE[0]) return { state: 'failed', detail, fix: 'Run it by the npm scripts, which bring Node 24.' };
  if (process.platform !== 'linux') return { state: 'failed', detail, fix: 'Attaché runs on Linux.' };
  return { state: 'ok', detail };
}

async function checkProc(): Promise<Found> {
  await access('/proc/self/environ', constants.R_OK);
  return { state: 'ok', detail: '/proc can be read: children that are left over are found' };
}

async function checkFolder(path: string): Promise<Found> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
    const probe = join(path, `.doctor-${process.pid}`);
    await writeFile(probe, 'ok', { mode: 0o600 });
    await rm(probe);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return {
      state: 'failed',
      detail: `${path} cannot be written (${code})`,
      fix: 'Give it to this user, or set ATTACHE_DATA_DIR to another folder.',
    };
  }
  const { bavail, bsize } = await statfs(path);
  const freeBytes = bavail * bsize;
  const detail = `${path}, ${(freeBytes / 1024 ** 3).toFixed(1)} GiB free`;
  if (freeBytes >= LOW_DISK_BYTES) return { state: 'ok', detail };
  return { state: 'warning', detail, fix: 'Free some space: uploads are refused when the disk is full.' };
}

function checkPort(variable: string, host: string, port: number): Promise<Found> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      const detail = `${host}:${port} cannot be listened on (${error.code})`;
      const fix = `If Attaché itself runs there, all is well; else set ${variable} to another port (0 picks a free one).`;
      resolve({ state: 'warning', detail, fix });
    });
    server.listen(port, host, () => {
      server.close(() =>
        resolve({ state: 'ok', detail: port === 0 ? 'a free one is picked' : `${host}:${port} is free` }),
      );
    });
  });
}

/** Checks of the machine that every stack needs. */
export function checksOfMachine(config: { dataDir?: string; host: string; ports: Record<string, number> }): Check[] {
  const { dataDir } = config;
  return [
    { name: 'runtime', run: async () => checkNode() },
    { name: 'processes', run: checkProc },
    ...(dataDir === undefined ? [] : [{ name: 'data folder', run: () => checkFolder(dataDir) }]),
    ...Object.entries(config.ports).map(([variable, port]) => ({
      name: variable === 'ATTACHE_PORT' ? 'public port' : 'operations port',
      run: () => checkPort(variable, config.host, port),
    })),
  ];
}
