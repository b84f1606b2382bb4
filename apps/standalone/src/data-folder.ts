import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Fault } from '@attache/contracts';
import type { SigningKeys } from '@attache/intake';
import { closeDataFolder } from '@attache/process-setup';

/** The paths in the data folder. */
export type DataFolder = {
  path: string;
  database: string;
  blobs: string;
  agents: string;
  work: string;
  incarnation: string;
  keyFile: string;
};

/** Makes the data folder, for its owner only. A folder that cannot be written is a fault that says so. */
export async function prepareDataFolder(path: string): Promise<DataFolder> {
  try {
    await makeFolder(path);
    await closeDataFolder(path);
    await writePrivate(join(path, '.probe'), 'ok');
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    throw new Fault(
      'CONFIGURATION_INVALID',
      `The data folder ${path} cannot be written (${code}). Give it to this user, free some space, or set ATTACHE_DATA_DIR to another folder.`,
      { cause },
    );
  }
  return {
    path,
    database: join(path, 'database'),
    blobs: join(path, 'blobs'),
    agents: join(path, 'agents'),
    work: join(path, 'work'),
    incarnation: join(path, 'incarnation'),
    keyFile: join(path, 'api-key'),
  };
}

// Node's own recursive mkdir never ends if a folder that exists takes no new one, as /proc does.
async function makeFolder(path: string): Promise<void> {
  const make = () => mkdir(path, { mode: 0o700 });
  await make().catch(async (error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return;
    if (error.code !== 'ENOENT' || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    await make();
  });
}

/** Writes a file whole or not at all, 0600. */
export async function writePrivate(path: string, content: string): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
}

export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The signing keys of this data folder; a random one at the first start, which only the embedded stack allows (AT-25). */
export async function readSigningKeys(folder: DataFolder): Promise<SigningKeys> {
  const path = join(folder.path, 'signing-keys');
  let text = await readIfThere(path);
  if (text === undefined) {
    text = `k1:${randomBytes(32).toString('hex')}\n`;
    await writePrivate(path, text);
  }
  const keys = text
    .split('\n')
    .filter((line) => line.includes(':'))
    .map((line) => ({
      kid: line.slice(0, line.indexOf(':')),
      secret: Buffer.from(line.slice(line.indexOf(':') + 1), 'hex'),
    }));
  const [first, ...rest] = keys;
  if (!first)
    throw new Fault('CONFIGURATION_INVALID', `The file ${path} holds no signing key. Remove it to make a new one.`);
  return [first, ...rest];
}
