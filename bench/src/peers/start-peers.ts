import { execFile, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findFreePort } from '@attache/infra/native/processes/free-port';
import { spawnGuarded } from '@attache/infra/native/processes/spawn-guarded';
import type { StorePlace } from '../../floors/steps/floor-config.ts';
import { endChild, readLine } from '../processes/programs.ts';
import { within } from '../report/sample.ts';

/** Another server for uploads, on the same object store. */
export type Peer = { name: string; url: string; stop(): Promise<void> };

const START_MS = 30_000;
const ADDRESS = /^(http:\S+)$/;
const LISTENS = 'You can now upload files to';
const folder = new URL('../../peers/', import.meta.url);

/** @tus/server where `npm install --prefix bench/peers` has put it; undefined elsewhere. */
export async function startTusServer(store: StorePlace): Promise<Peer | undefined> {
  const manifest = await readFile(new URL('node_modules/@tus/server/package.json', folder), 'utf8').catch(
    () => undefined,
  );
  if (manifest === undefined) return undefined;
  const { version }: { version: string } = JSON.parse(manifest);
  const program = fileURLToPath(new URL('tus-server.mjs', folder));
  const child = spawn(process.execPath, [program, JSON.stringify(store)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const stop = () => endChild(child);
  const url = await orStop(stop, within(START_MS, '@tus/server', readLine(child, ADDRESS)));
  return { name: `@tus/server ${version}`, url: `${url}/files`, stop };
}

/** The `tusd` of this machine's path; undefined if it has none. */
export async function startTusd(store: StorePlace, environment: NodeJS.ProcessEnv): Promise<Peer | undefined> {
  const { PATH = '' } = environment;
  const found = await promisify(execFile)('tusd', ['-version'], { env: { PATH } }).catch(() => undefined);
  if (found === undefined) return undefined;
  const port = await findFreePort();
  const options = ['-host', '127.0.0.1', '-port', String(port), '-base-path', '/files/'];
  const place = ['-s3-bucket', store.bucket, '-s3-endpoint', store.endpoint];
  const keys = { AWS_ACCESS_KEY_ID: store.accessKey, AWS_SECRET_ACCESS_KEY: store.secretKey, AWS_REGION: 'us-east-1' };
  const listening = Promise.withResolvers<void>();
  const { child } = spawnGuarded({
    ...{ program: 'tusd', args: [...options, ...place], folder: tmpdir(), lastSignal: 'SIGTERM' },
    environment: { PATH, ...keys },
    onLine: (line) => line.includes(LISTENS) && listening.resolve(),
  });
  const stop = () => endChild(child);
  await orStop(stop, within(START_MS, 'tusd', listening.promise));
  // One that was built from its module does not know its version.
  const version = /Version: *v?(\d\S*)/.exec(found.stdout)?.[1] ?? '';
  return { name: `tusd ${version}`.trim(), url: `http://127.0.0.1:${port}/files/`, stop };
}

async function orStop<T>(stop: () => Promise<void>, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    await stop();
    throw error;
  }
}
