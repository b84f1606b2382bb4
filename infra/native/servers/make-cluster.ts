import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Account } from '../processes/server-account.ts';

/** All of the environment of a Postgres program. */
export const postgresEnvironment = { LC_ALL: 'C', TZ: 'UTC' };

type Cluster = {
  programs: string;
  folder: string;
  account: Account | undefined;
  firstStatements: readonly string[];
};

/** Makes a cluster in `<folder>/data`, whole or not at all, if there is none yet. Returns the superuser's password. */
export async function makeCluster(cluster: Cluster): Promise<string> {
  const { folder, account } = cluster;
  const passwordFile = join(folder, 'password');
  const data = join(folder, 'data');
  if (existsSync(join(data, 'PG_VERSION'))) return readFile(passwordFile, 'utf8');
  const draft = `${data}.draft`;
  await rm(draft, { recursive: true, force: true });
  const password = randomBytes(16).toString('hex');
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (account) await chown(passwordFile, account.uid, account.gid);
  const args = ['--username=postgres', '--auth=scram-sha-256', '--encoding=UTF8', '--locale=C', '--no-instructions'];
  await runProgram(cluster, 'initdb', ['--pgdata', draft, `--pwfile=${passwordFile}`, '--no-sync', ...args]);
  if (cluster.firstStatements.length > 0) {
    const single = ['--single', '-D', draft, '-c', 'exit_on_error=on', 'postgres'];
    await runProgram(cluster, 'postgres', single, `${cluster.firstStatements.join('\n')}\n`);
  }
  await rename(draft, data);
  return password;
}

async function runProgram(cluster: Cluster, name: string, args: string[], input = ''): Promise<void> {
  const child = spawn(join(cluster.programs, name), args, {
    ...cluster.account,
    cwd: cluster.folder,
    env: postgresEnvironment,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  // One that ends before it has read all says why in another way.
  child.stdin.once('error', () => {}).end(input);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  const [said, code] = await Promise.all([text(child.stderr), ended]);
  if (code !== 0) throw new Error(`${name} could not make the Postgres cluster:\n${said.trim()}`);
}
