import { access, readdir, readFile, realpath } from 'node:fs/promises';
import path from 'node:path';

/**
 * Finds the folders that Python needs to run a file: the virtual environment that the file is in and the installation that it was made with, or the
 * installation that the file is in. One of the system is left out, and so is what is no part of any.
 */
export async function findPythonTrees(file: string, isThere: (file: string) => boolean): Promise<string[]> {
  const environment = await findEnvironment(file);
  const programs = environment?.home ?? path.dirname(file);
  if (isThere(`${programs}/`)) return environment === undefined ? [] : [environment.folder];
  const installation = path.dirname(programs);
  // A link may lead to it, which the environment goes by.
  const found = (await isInstallation(installation)) ? [installation, await realpath(installation)] : [];
  return [...new Set([...(environment === undefined ? [] : [environment.folder]), ...found])];
}

type Environment = { folder: string; home: string };

/** The virtual environment whose program a file is, and the folder of the programs of Python that it was made with. */
async function findEnvironment(file: string): Promise<Environment | undefined> {
  const folder = path.dirname(path.dirname(file));
  const settings = await readFile(path.join(folder, 'pyvenv.cfg'), 'utf8').catch(() => '');
  const home = /^home\s*=\s*(\/.*?)\s*$/m.exec(settings)?.[1];
  return home === undefined ? undefined : { folder, home: path.normalize(home) };
}

/** Whether a folder has the library of a Python below it, and not only packages for one. */
async function isInstallation(folder: string): Promise<boolean> {
  const library = path.join(folder, 'lib');
  const names = await readdir(library).catch(() => []);
  const versions = names.filter((name) => name.startsWith('python'));
  const found = await Promise.allSettled(versions.map((name) => access(path.join(library, name, 'os.py'))));
  return found.some(({ status }) => status === 'fulfilled');
}
