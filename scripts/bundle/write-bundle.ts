import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join, resolve } from 'node:path';
import { type OutputAsset, type OutputChunk, type RolldownOutput, rolldown } from 'rolldown';
import { collectLicences } from './collect-licences.ts';
import { nameBundledFiles } from './name-bundled-files.ts';

export type Bundle = { fileCount: number; sizeBytes: number; packages: readonly string[] };

/** What cannot be bundled, native code or WebAssembly beside its script; the process that needs it finds it in `node_modules`. */
export const unbundledPackages: readonly string[] = ['sharp', '@electric-sql/pglite'];

const builtin = new Set(builtinModules);
const ELF = Buffer.from('\x7fELF', 'latin1');

/**
 * Writes the CLI as plain JavaScript to an emptied folder: `attache.js`, the programs that it spawns, chunks, assets, licences and a
 * package.json. Fails where a file would import what is neither Node's nor listed as unbundled.
 */
export async function writeBundle(options: { root: string; out: string }): Promise<Bundle> {
  const root = resolve(options.root);
  const out = resolve(options.out);
  rmSync(out, { recursive: true, force: true });
  const build = await rolldown({
    cwd: root,
    input: { attache: join(root, 'apps/cli/src/main.ts') },
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
      // Of a source with one character beyond Latin-1, every character takes two bytes.
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

/** Of the C library inside the first process of a sandbox. */
function readBoxLicence(root: string): string {
  const text = readFileSync(join(root, 'packages/agent-process/native/LICENSE-musl.txt'), 'utf8');
  return `${'-'.repeat(80)}\n\nmusl 1.2.5 (MIT)\n\n${text}`;
}

/** What the kernel runs by itself: the bundler drops the right to run it. */
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
