import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { listPublished, type Manifest } from './list-published.ts';
import { readVersions } from './read-versions.ts';
import { runNpmPack } from './run-npm-pack.ts';

type Packing = { root: string; out: string; source: string; manifest: Manifest };

/**
 * Compiles a package of the workspace, named by its folder in `packages`, for Node 20 and later, with its types, and packs it into `out`. Those of ours that it
 * needs were packed there before. Returns the path of the archive.
 */
export function packLibrary({ root, out, name }: { root: string; out: string; name: string }): string {
  const source = join(root, 'packages', name);
  const manifest: Manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  const folder = join(out, name);
  mkdirSync(folder, { recursive: true });
  linkVendors({ root, out, source, manifest });
  compile({ root, out, source, manifest }, folder);
  copyStyles(source, folder);
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(describe(root, manifest), null, 2)}\n`);
  // Its modules import their examples from there.
  if (existsSync(join(source, 'golden'))) cpSync(join(source, 'golden'), join(folder, 'golden'), { recursive: true });
  cpSync(join(source, 'README.md'), join(folder, 'README.md'));
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  return runNpmPack(folder, out);
}

function compile({ root, out, source, manifest }: Packing, folder: string): void {
  const own = join(source, 'tsconfig.json');
  const src = join(source, 'src');
  const config = {
    extends: existsSync(own) ? own : join(root, 'tsconfig.json'),
    compilerOptions: {
      ...{ noEmit: false, rewriteRelativeImportExtensions: true, declaration: true, target: 'es2022' },
      ...{ outDir: join(folder, 'dist'), rootDir: src, typeRoots: [join(root, 'node_modules/@types')] },
      paths: pathsOf({ root, out, manifest }),
    },
    include: [src],
    exclude: [join(src, '**/*.test.ts'), join(src, '**/*.test.tsx'), join(src, '**/__fixtures__/**')],
  };
  const path = join(out, `tsconfig.${basename(source)}.json`);
  writeFileSync(path, JSON.stringify(config));
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', path], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${manifest.name} could not be compiled:\n${stdout}`);
  for (const file of globSync(`${folder}/dist/**/*.d.ts`)) renameImports(file);
}

/** Our own packages as they are packed: their sources are other packages'. */
function pathsOf({ root, out, manifest }: Pick<Packing, 'root' | 'out' | 'manifest'>): Record<string, string[]> {
  const others = listPublished(root).filter((each) => !each.isBundled && each.manifest.name !== manifest.name);
  return Object.fromEntries(
    others.flatMap(({ folder, manifest: { name, exports } }) =>
      Object.entries(exports).map(([place, path]) => {
        return [join(name, place), [join(out, basename(folder), compiled(path, '.d.ts'))]];
      }),
    ),
  );
}

/** Packages of others that the types of what is packed name, where the compiler looks for them. */
function linkVendors({ out, source, manifest: { dependencies = {} } }: Packing): void {
  for (const name of Object.keys(dependencies).filter((each) => !each.startsWith('@attache/'))) {
    const link = join(out, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    if (!existsSync(link)) symlinkSync(join(source, 'node_modules', name), link);
  }
}

/** The compiler renames the modules of code, and leaves those of types. */
function renameImports(file: string): void {
  const renamed = readFileSync(file, 'utf8').replaceAll(
    /((?:from |import\()['"]\.{1,2}\/[^'"]+)\.tsx?(['"])/g,
    '$1.js$2',
  );
  writeFileSync(file, renamed);
}

function copyStyles(source: string, folder: string): void {
  for (const path of globSync('src/**/*.css', { cwd: source })) {
    const copy = join(folder, path.replace(/^src\//, 'dist/'));
    mkdirSync(dirname(copy), { recursive: true });
    cpSync(join(source, path), copy);
    // The compiler of who imports it asks for its types.
    writeFileSync(`${copy}.d.ts`, 'export {};\n');
  }
}

/** The place of what is made of a source: a stylesheet keeps its ending, and its types add theirs. */
const compiled = (path: string, ending: '.js' | '.d.ts'): string => {
  const place = path.replace('./src/', './dist/');
  if (place.endsWith('.css')) return ending === '.js' ? place : `${place}.d.ts`;
  return place.replace(/\.tsx?$/, ending);
};

const placeOf = (path: string) => ({ types: compiled(path, '.d.ts'), default: compiled(path, '.js') });

function describe(root: string, manifest: Manifest): object {
  const { name, version, license, exports, bin, sideEffects = false, dependencies = {} } = manifest;
  const catalog = readVersions(root);
  const versionOf = (needed: string) => (needed.startsWith('@attache/') ? version : catalog[needed]);
  return {
    ...{ name, version, license, type: 'module', engines: { node: '>=20' }, files: ['dist', 'golden'], sideEffects },
    exports: Object.fromEntries(Object.entries(exports).map(([place, path]) => [place, placeOf(path)])),
    ...(bin && {
      bin: Object.fromEntries(Object.entries(bin).map(([command, path]) => [command, compiled(path, '.js')])),
    }),
    ...peersOf(manifest),
    dependencies: Object.fromEntries(Object.keys(dependencies).map((needed) => [needed, versionOf(needed)])),
  };
}

function peersOf({ name, peerDependencies, peerDependenciesMeta }: Manifest): object {
  // Its types name some of Node's own.
  if (name === '@attache/agent-kit')
    return {
      peerDependencies: { '@types/node': '>=20' },
      peerDependenciesMeta: { '@types/node': { optional: true } },
    };
  return { ...(peerDependencies && { peerDependencies }), ...(peerDependenciesMeta && { peerDependenciesMeta }) };
}
