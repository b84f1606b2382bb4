import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join, resolve } from 'node:path';
import { type OutputAsset, type OutputChunk, type RolldownOutput, rolldown } from 'rolldown';
import { nameBundledFiles } from './name-bundled-files.ts';

export type Bundle = { fileCount: number; sizeBytes: number; packages: readonly string[] };

export type BundleOptions = {
  root: string;
  out: string;
  /** Programs besides the command line, by their names in the bundle. */
  entries?: Readonly<Record<string, string>>;
};

/** Packages that cannot be bundled: native code, or WebAssembly next to its script. The process that needs one finds it in `node_modules`. */
export const unbundledPackages: readonly string[] = ['sharp', '@electric-sql/pglite'];

const builtin = new Set(builtinModules);
const ELF = Buffer.from('\x7fELF', 'latin1');

/**
 * Writes the CLI as plain JavaScript to an emptied folder: `attache.js`, the programs that it spawns, chunks, assets, licences and a
 * package.json. Fails if a file would import what is neither Node's nor listed as unbundled.
 */
export async function writeBundle(options: BundleOptions): Promise<Bundle> {
  const root = resolve(options.root);
  const out = resolve(options.out);
  rmSync(out, { recursive: true, force: true });
  const build = await rolldown({
    cwd: root,
    input: { attache: join(root, 'apps/cli/src/main.ts'), ...options.entries },
    platform: 'node',
    external: unbundledPackages.map((name) => new RegExp(`^${name}(/|$)`)),
    plugins: [nameBundledFiles(root)],
    onLog: (_level, log) => {
      throw new Error(`The bundle is not clean: ${log.message}`);
    },
  });
  try {
    const written = await build.write({
      dir: out,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: '[name]-[hash].js',
      // If a source has one character beyond Latin-1, each of its characters takes two bytes.
      charset: 'ascii',
      comments: { legal: true, annotation: false, jsdoc: false },
    });
    return finish(root, out, written);
  } finally {
    await build.close();
  }
}

function finish(root: string, out: string, { output }: RolldownOutput): Bundle {
  const chunks = output.filter((file) => file.type === 'chunk');
  refuseUnknownImports(chunks, new Set(output.map((file) => file.fileName)));
  const modules = chunks.flatMap((chunk) => chunk.moduleIds);
  const assets = output.flatMap((file) => (file.type === 'asset' ? (file.originalFileNames ?? []) : []));
  chmodSync(join(out, 'attache.js'), 0o755);
  for (const file of output) if (isMachineCode(file)) chmodSync(join(out, file.fileName), 0o755);
  const ofPackages = collectLicences([...modules, ...assets]);
  writeFileSync(join(out, 'THIRD-PARTY-LICENCES.txt'), `${ofPackages}\n${readBoxLicence(root)}`);
  writeFileSync(join(out, 'package.json'), `${JSON.stringify(describePackage(root), null, 2)}\n`);
  const sizeBytes = output.reduce(
    (sum, file) => sum + Buffer.byteLength(file.type === 'chunk' ? file.code : file.source),
    0,
  );
  return { fileCount: output.length, sizeBytes, packages: unbundledPackages };
}

const LICENCE_FILE = /^(licen[cs]e|notice|copying)/i;
const PACKAGE_FOLDER = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;

/** The licence texts of every installed package that one of the files belongs to, as their authors ask for. */
function collectLicences(files: readonly string[]): string {
  const folders = new Set(files.map((file) => PACKAGE_FOLDER.exec(file)?.[0]).filter((folder) => folder !== undefined));
  const texts = [...folders].filter((folder) => existsSync(join(folder, 'package.json'))).map(describeLicence);
  return `${[...new Set(texts)].toSorted().join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

function describeLicence(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const texts = readdirSync(folder)
    .filter((file) => LICENCE_FILE.test(file))
    .map((file) => readFileSync(join(folder, file), 'utf8').trim());
  return [`${name} ${version} (${typeof license === 'string' ? license : 'see below'})`, ...texts].join('\n\n');
}

/** The licence of the C library inside the first process of a sandbox. */
function readBoxLicence(root: string): string {
  const text = readFileSync(join(root, 'packages/agent-process/native/LICENSE-musl.txt'), 'utf8');
  return `${'-'.repeat(80)}\n\nmusl 1.2.5 (MIT)\n\n${text}`;
}

/** A program that the kernel runs by itself: the bundler drops the right to run it. */
const isMachineCode = (file: OutputChunk | OutputAsset): boolean =>
  file.type === 'asset' && Buffer.from(file.source).subarray(0, ELF.length).equals(ELF);

function refuseUnknownImports(chunks: OutputChunk[], own: ReadonlySet<string>): void {
  const isKnown = (name: string) =>
    own.has(name) ||
    name.startsWith('node:') ||
    builtin.has(name) ||
    unbundledPackages.some((known) => name === known || name.startsWith(`${known}/`));
  const unknown = chunks.flatMap(({ fileName, imports, dynamicImports }) =>
    [...imports, ...dynamicImports].filter((name) => !isKnown(name)).map((name) => `${fileName} imports ${name}`),
  );
  if (unknown.length > 0) throw new Error(`The bundle would not run alone: ${unknown.join(', ')}`);
}

function describePackage(root: string): Record<string, unknown> {
  const { version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return {
    name: 'attache',
    version,
    license,
    private: true,
    type: 'module',
    engines: { node: '>=24' },
    bin: { attache: './attache.js' },
  };
}
