import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readVersions } from './read-versions.ts';
import { runNpmPack } from './run-npm-pack.ts';

/** In the order in which they need each other. */
export type LibraryName = 'contracts' | 'agent-kit';

type Manifest = {
  name: string;
  version: string;
  license: string;
  exports: Record<string, string>;
  bin?: Record<string, string>;
  dependencies?: Record<string, string>;
};

type Packing = { root: string; out: string; name: LibraryName };

/**
 * Compiles a package for Node 20 and later, with its types, and packs it into `out`, with those of ours that it needs inside: it installs from its archive alone.
 * Returns the path of the archive.
 */
export function packLibrary(packing: Packing): string {
  const { root, out, name } = packing;
  const folder = join(out, name);
  mkdirSync(folder, { recursive: true });
  compile(packing, folder);
  const source = join(root, 'packages', name);
  const manifest: Manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(describe(root, manifest), null, 2)}\n`);
  // Its modules import their examples from there.
  if (existsSync(join(source, 'golden'))) cpSync(join(source, 'golden'), join(folder, 'golden'), { recursive: true });
  for (const needed of ownOf(manifest))
    cpSync(join(out, needed.replace(OWN, '')), join(folder, 'node_modules', needed), { recursive: true });
  cpSync(join(source, 'README.md'), join(folder, 'README.md'));
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  return runNpmPack(folder, out);
}

function compile({ root, out, name }: Packing, folder: string): void {
  const source = join(root, 'packages', name, 'src');
  const contracts = join(out, 'contracts', 'dist');
  const config = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: {
      ...{ noEmit: false, rewriteRelativeImportExtensions: true, declaration: true, target: 'es2022' },
      ...{ outDir: join(folder, 'dist'), rootDir: source, typeRoots: [join(root, 'node_modules/@types')] },
      // As it is packed: its sources are another package's.
      paths: {
        '@attache/contracts': [join(contracts, 'index.d.ts')],
        '@attache/contracts/agent-variables': [join(contracts, 'agent/agent-variables.d.ts')],
      },
    },
    include: [source],
    exclude: [join(source, '**/*.test.ts'), join(source, '**/__fixtures__/**')],
  };
  const path = join(out, `tsconfig.${name}.json`);
  writeFileSync(path, JSON.stringify(config));
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', path], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${name} could not be compiled:\n${stdout}`);
  for (const file of globSync(`${folder}/dist/**/*.d.ts`)) renameImports(file);
}

/** The compiler renames the modules of code, and leaves those of types. */
function renameImports(file: string): void {
  const renamed = readFileSync(file, 'utf8').replaceAll(
    /((?:from |import\()['"]\.{1,2}\/[^'"]+)\.ts(['"])/g,
    '$1.js$2',
  );
  writeFileSync(file, renamed);
}

const OWN = '@attache/';

const ownOf = ({ dependencies = {} }: Manifest): string[] =>
  Object.keys(dependencies).filter((needed) => needed.startsWith(OWN));

const compiled = (path: string, ending: string) => path.replace('./src/', './dist/').replace(/\.ts$/, ending);

function describe(root: string, manifest: Manifest): object {
  const { name, version, license, exports, bin, dependencies = {} } = manifest;
  const catalog = readVersions(root);
  const versionOf = (needed: string) => (needed.startsWith(OWN) ? version : catalog[needed]);
  const bundled = ownOf(manifest);
  return {
    ...{
      name,
      version,
      license,
      type: 'module',
      engines: { node: '>=20' },
      files: ['dist', 'golden'],
      sideEffects: false,
    },
    exports: Object.fromEntries(
      Object.entries(exports).map(([place, path]) => {
        return [place, { types: compiled(path, '.d.ts'), default: compiled(path, '.js') }];
      }),
    ),
    ...(bin && {
      bin: Object.fromEntries(Object.entries(bin).map(([command, path]) => [command, compiled(path, '.js')])),
    }),
    // Its types name some of Node's own.
    ...(name === '@attache/agent-kit' && {
      peerDependencies: { '@types/node': '>=20' },
      peerDependenciesMeta: { '@types/node': { optional: true } },
    }),
    dependencies: Object.fromEntries(Object.keys(dependencies).map((needed) => [needed, versionOf(needed)])),
    ...(bundled.length > 0 && { bundleDependencies: bundled }),
  };
}
