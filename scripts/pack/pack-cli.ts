import { chmodSync, cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unbundledPackages, writeBundle } from '../bundle/write-bundle.ts';
import { readVersions } from './read-versions.ts';
import { runNpmPack } from './run-npm-pack.ts';

const LAUNCHER = fileURLToPath(new URL('launch.mjs', import.meta.url));

type RootManifest = { license: string; optionalDependencies: Record<string, string> };

/** Bundles the CLI, and packs it into `out` with the files that bring Node if that is too old. Returns the path of the archive. */
export async function packCli({ root, out }: { root: string; out: string }): Promise<string> {
  const folder = join(out, 'cli');
  await writeBundle({ root, out: folder });
  cpSync(LAUNCHER, join(folder, 'launch.mjs'));
  chmodSync(join(folder, 'launch.mjs'), 0o755);
  cpSync(join(root, 'apps/cli/README.md'), join(folder, 'README.md'));
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  const manifest: RootManifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const { version } = JSON.parse(readFileSync(join(root, 'apps/cli/package.json'), 'utf8'));
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(describe(root, version, manifest), null, 2)}\n`);
  return runNpmPack(folder, out);
}

function describe(root: string, version: string, { license, optionalDependencies }: RootManifest): object {
  const catalog = readVersions(root);
  return {
    ...{ name: '@attache/cli', version, license, type: 'module', engines: { node: '>=20' }, os: ['linux'] },
    description: 'Attachment infrastructure for AI-agent platforms: start, demo, doctor',
    bin: { attache: './launch.mjs' },
    exports: {},
    dependencies: Object.fromEntries(unbundledPackages.map((name) => [name, catalog[name]])),
    optionalDependencies,
  };
}
