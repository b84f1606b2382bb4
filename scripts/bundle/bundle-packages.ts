import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

type Manifest = {
  version: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
};

/**
 * Copies installed packages and all that they need, as the lockfile chose them, into `<out>/node_modules`. Returns the names.
 * Optional dependencies are copied if this platform has them.
 */
export function copyPackages(options: { root: string; names: readonly string[]; out: string }): string[] {
  const found = new Map<string, string>();
  for (const name of options.names) collect(name, findInWorkspace(options.root, name), found);
  for (const [name, folder] of found) {
    const target = join(options.out, 'node_modules', name);
    mkdirSync(dirname(target), { recursive: true });
    cpSync(folder, target, { recursive: true, filter: (path) => !path.slice(folder.length).includes('/node_modules') });
  }
  return [...found.keys()];
}

function findInWorkspace(root: string, name: string): string {
  for (const group of ['packages', 'services', 'apps']) {
    for (const member of readdirSync(join(root, group))) {
      const link = join(root, group, member, 'node_modules', name);
      if (existsSync(link)) return realpathSync(link);
    }
  }
  throw new Error(`${name} is not installed. Run npm run bundle, which installs what the lockfile names.`);
}

function collect(name: string, folder: string, found: Map<string, string>): void {
  const known = found.get(name);
  if (known === folder) return;
  if (known !== undefined) throw new Error(`${name} is needed in two versions: ${known} and ${folder}`);
  found.set(name, folder);
  const manifest: Manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  // The package manager puts the dependencies of a package next to it.
  const besides = folder.slice(0, -name.length);
  for (const needed of Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })) {
    const link = join(besides, needed);
    if (existsSync(link)) collect(needed, realpathSync(link), found);
    else if (manifest.dependencies?.[needed] !== undefined)
      throw new Error(`${name} needs ${needed}, which is not installed.`);
  }
}
