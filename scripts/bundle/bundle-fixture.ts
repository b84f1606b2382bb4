import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { copyPackages } from './bundle-packages.ts';
import { unbundledPackages, writeBundle } from './write-bundle.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
// One white pixel.
const png = Buffer.from(
  '89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c63f8ffff3f0005fe02fe0def46b80000000049454e44ae426082',
  'hex',
);

/** The bundle for tests, outside the workspace, in a folder that everything it writes goes to. */
export type BundleFixture = {
  folder: string;
  /** With nothing next to it. */
  bare: string;
  /** With some packages next to it. */
  withPackages: string;
  start(args: string[], run?: BundleRun): StartedBundle;
  run(args: string[], run?: BundleRun): Promise<{ exitCode: number | null; stdout: string; stderr: string }>;
  /** Ends what still runs, and removes the folder. */
  remove(): Promise<void>;
};

type BundleRun = { from?: string; environment?: Readonly<Record<string, string>> };

/** `findLine` answers what the pattern's group found in the first line of standard output that fits. */
export type StartedBundle = {
  child: ChildProcess;
  findLine(pattern: RegExp): Promise<string>;
  stop(): Promise<number>;
};

export async function makeBundleFixture(packages: readonly string[] | 'all'): Promise<BundleFixture> {
  const folder = mkdtempSync(join(tmpdir(), 'attache-bundle-'));
  const bare = join(folder, 'bare');
  const withPackages = join(folder, 'with-packages');
  await placeBundle(bare);
  cpSync(bare, withPackages, { recursive: true });
  copyPackages({ root, names: packages === 'all' ? unbundledPackages : packages, out: withPackages });
  const children: ChildProcess[] = [];
  const spawnBundle = (args: string[], { from = withPackages, environment = {} }: BundleRun = {}) => {
    const env = { PATH: '/usr/bin:/bin', HOME: folder, TMPDIR: folder, ATTACHE_PORT: '0', ATTACHE_OPS_PORT: '0' };
    const child = spawn(process.execPath, [join(from, 'attache.js'), ...args], {
      cwd: folder,
      env: { ...env, ATTACHE_DATA_DIR: join(folder, 'data'), ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.push(child);
    return child;
  };
  return {
    ...{ folder, bare, withPackages },
    start: (args, run) => followOutput(spawnBundle(args, run)),
    async run(args, run) {
      const child = spawnBundle(args, run);
      const exited = once(child, 'exit');
      const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
      return { exitCode: (await exited)[0], stdout, stderr };
    },
    async remove() {
      for (const child of children) await endChild(child, 'SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The bundle that the test run has made, without the files next to it; a new one outside of a run. */
async function placeBundle(out: string): Promise<void> {
  const made = process.env.ATTACHE_TEST_BUNDLE;
  if (!made) return void (await writeBundle({ root, out }));
  const besides = new Set(['node_modules', 'fixtures'].map((name) => join(made, name)));
  cpSync(made, out, { recursive: true, filter: (path) => !besides.has(path) });
}

async function endChild(child: ChildProcess, signal: NodeJS.Signals): Promise<number> {
  const exited = once(child, 'exit');
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode ?? -1;
  child.kill(signal);
  return (await exited)[0] ?? -1;
}

function followOutput(child: ChildProcess): StartedBundle {
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.on('data', (chunk: Buffer) => {
      said[name] += chunk;
    });
  }
  return {
    child,
    async findLine(pattern) {
      for (;;) {
        const found = pattern.exec(said.stdout)?.[1];
        if (found !== undefined) return found;
        if (child.exitCode !== null) throw new Error(`it ended before it was ready: ${said.stdout}${said.stderr}`);
        await sleep(20);
      }
    },
    stop: () => endChild(child, 'SIGTERM'),
  };
}

/** Uploads a picture into a session with one agent; answers the attachment as it is after inspection. */
export async function uploadPicture(url: string, apiKey: string): Promise<Record<string, unknown>> {
  const authorization = `Bearer ${apiKey}`;
  const call = async <T>(path: string, init: RequestInit = {}): Promise<T> => {
    const headers = { authorization, 'content-type': 'application/json', ...init.headers };
    const response = await fetch(`${url}/v1${path}`, { ...init, headers });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  };
  const agents = [{ name: 'painter', role: 'lead', target: { profile: 'example' } }];
  const created = await call<{ session: { id: string } }>('/sessions', {
    method: 'POST',
    body: JSON.stringify({ agents }),
  });
  type Uploaded = { attachment: { id: string; status: string } };
  let { attachment } = await call<Uploaded>(`/sessions/${created.session.id}/attachments?name=dot.png`, {
    method: 'PUT',
    headers: { 'content-type': 'image/png' },
    body: png,
  });
  while (attachment.status === 'pending') {
    await sleep(50);
    ({ attachment } = await call<Uploaded>(`/attachments/${attachment.id}`));
  }
  return attachment;
}
