import { createHash, randomBytes } from 'node:crypto';
import { lstat, mkdir, mkdtemp, readFile, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canEnter, findServerAccount } from './server-account.ts';

/** The given folder, made if it is missing, or a new temporary one, which the server removes when it stops. */
export async function makeServerFolder(
  name: string,
  given: string | undefined,
): Promise<{ folder: string; removedFolder: string | undefined }> {
  if (given !== undefined) {
    await mkdir(given, { recursive: true, mode: 0o700 });
    return { folder: given, removedFolder: undefined };
  }
  const folder = await mkdtemp(join(tmpdir(), `attache-${name}-`));
  return { folder, removedFolder: folder };
}

/** Something secret that stays the same as long as the folder does; a random one unless `make` is given. */
export async function keepSecret(folder: string, name: string, make = () => randomBytes(16).toString('hex')) {
  const path = join(folder, name);
  try {
    return await readFile(path, 'utf8');
  } catch {
    const secret = make();
    await writeFile(`${path}.draft`, secret, { mode: 0o600 });
    await rename(`${path}.draft`, path);
    return secret;
  }
}

/**
 * The place of Postgres's files for `folder`: inside it, or, if this process is root and the account of the server may not enter there, in
 * a folder of its own below the system's temporary one.
 */
export async function placePostgresFolder(folder: string): Promise<string> {
  const account = findServerAccount();
  if (!account || (await canEnter(folder, account))) return join(folder, 'postgres');
  const outside = join(tmpdir(), `attache-postgres-${createHash('sha256').update(folder).digest('hex').slice(0, 16)}`);
  await mkdir(outside, { recursive: true, mode: 0o711 });
  const { uid } = await lstat(outside);
  if (uid !== process.getuid?.()) throw new Error(`${outside} belongs to another account: remove it and start again`);
  return join(outside, 'postgres');
}
