import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

/** The modules by which a machine reaches its files, and two families of sockets that sandboxes refuse. */
const WANTED = ['virtio_pci', '9pnet_virtio', '9p', 'overlay', 'virtio_rng', 'vsock', 'af_alg'];

/** The paths of the wanted modules in a kernel's package. */
export const modulePatterns = [
  'drivers/virtio',
  'net/9p',
  'fs',
  'net/vmw_vsock',
  'crypto',
  'drivers/char/hw_random',
].map((folder) => `./lib/modules/*/kernel/${folder}/*`);

/** The files of the wanted modules below `folder`, each after those that it needs. */
export async function listModules(folder: string): Promise<string[]> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.ko'));
  const files = new Map(names.map((name) => [nameOf(name), join(folder, name)]));
  const ordered = new Set<string>();
  const add = async (name: string): Promise<void> => {
    const file = files.get(name);
    if (file === undefined) throw new Error(`The kernel's package has no module ${name}.`);
    if (ordered.has(file)) return;
    for (const needed of readNeeded(await readFile(file, 'latin1'))) await add(needed);
    ordered.add(file);
  };
  for (const name of WANTED) await add(name);
  return [...ordered];
}

const nameOf = (file: string): string => basename(file, '.ko').replaceAll('-', '_');

/** A module says in its text which others it needs. */
function readNeeded(module: string): string[] {
  const [, names = ''] = /\0depends=([^\0]*)\0/.exec(`\0${module}`) ?? [];
  return names.split(',').filter(Boolean).map(nameOf);
}
