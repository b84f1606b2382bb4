import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { repositoryRoot } from '../source/source-files.ts';

type Manifest = {
  name: string;
  exports?: Record<string, string>;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
};

type WorkspacePackage = { folder: string; manifest: Manifest };

/**
 * A copy of the workspace in a temporary folder: real manifests and links, an empty module at every export, a stub of every
 * vendor. `extraVendors` are linked at the root alone, so that no package declares them.
 */
export function createWorkspaceSkeleton(extraVendors: string[]): { root: string; dispose: () => void } {
  const root = mkdtempSync(join(tmpdir(), 'attache-import-rules-'));
  const packages = listWorkspacePackages();
  writeFileSync(join(root, 'package.json'), JSON.stringify({ name: 'skeleton', private: true, type: 'module' }));
  for (const { folder, manifest } of packages) {
    writeAt(root, `${folder}/package.json`, JSON.stringify(manifest));
    for (const path of Object.values(manifest.exports ?? {}))
      writeAt(root, join(folder, path), 'export const stub = 1;\n');
    linkDependencies(root, folder, manifest, packages);
  }
  for (const vendor of extraVendors) linkVendor(root, '.', vendor);
  return { root, dispose: () => rmSync(root, { recursive: true, force: true }) };
}

/** Writes one file of the skeleton, with its folders. */
export function writeAt(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function listWorkspacePackages(): WorkspacePackage[] {
  return ['packages', 'services', 'apps'].flatMap((group) =>
    readdirSync(join(repositoryRoot, group)).map((name) => {
      const folder = `${group}/${name}`;
      const manifest: Manifest = JSON.parse(readFileSync(join(repositoryRoot, folder, 'package.json'), 'utf8'));
      return { folder, manifest };
    }),
  );
}

function linkDependencies(root: string, folder: string, manifest: Manifest, packages: WorkspacePackage[]): void {
  for (const name of Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })) {
    const sibling = packages.find((candidate) => candidate.manifest.name === name);
    if (sibling) link(root, sibling.folder, `${folder}/node_modules/${name}`);
    else linkVendor(root, folder, name);
  }
}

// The place where pnpm puts a vendor, so that resolved paths look as they do in the real tree.
function linkVendor(root: string, folder: string, vendor: string): void {
  const home = `node_modules/.pnpm/${vendor.replace('/', '+')}@1.0.0/node_modules/${vendor}`;
  writeAt(root, `${home}/package.json`, JSON.stringify({ name: vendor, version: '1.0.0', exports: './index.js' }));
  writeAt(root, `${home}/index.js`, 'module.exports = {};\n');
  link(root, home, join(folder, 'node_modules', vendor));
}

function link(root: string, target: string, at: string): void {
  mkdirSync(dirname(join(root, at)), { recursive: true });
  symlinkSync(relative(dirname(join(root, at)), join(root, target)), join(root, at));
}
