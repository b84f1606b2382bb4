import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export type Manifest = {
  name: string;
  version: string;
  license: string;
  private?: boolean;
  exports: Record<string, string>;
  bin?: Record<string, string>;
  sideEffects?: boolean | string[];
  dependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional: boolean }>;
};

/** A package of the workspace that anybody may install; `folder` is absolute. */
export type PublishedPackage = { folder: string; manifest: Manifest; isBundled: boolean };

/** The packages that are not private, each after those of ours that it needs. An app is bundled, and needs none. */
export function listPublished(root: string): PublishedPackage[] {
  const found = globSync('{packages,apps}/*/package.json', { cwd: root })
    .sort()
    .map((path) => ({
      folder: join(root, dirname(path)),
      manifest: JSON.parse(readFileSync(join(root, path), 'utf8')) as Manifest,
      isBundled: path.startsWith('apps/'),
    }))
    .filter(({ manifest }) => manifest.private !== true);
  const ordered = new Set<PublishedPackage>();
  const place = (each: PublishedPackage): void => {
    if (!each.isBundled)
      for (const name of ownOf(each.manifest)) found.filter(({ manifest }) => manifest.name === name).forEach(place);
    ordered.add(each);
  };
  found.forEach(place);
  return [...ordered];
}

/** The names of our own packages that a package depends on. */
const ownOf = ({ dependencies = {} }: Manifest): string[] =>
  Object.keys(dependencies).filter((name) => name.startsWith('@attache/'));
