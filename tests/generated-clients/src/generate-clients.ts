import { execFile } from 'node:child_process';
import { copyFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

// Generators of clients as their users run them, with the TypeScript that these need.

const run = promisify(execFile);
const { resolve } = createRequire(import.meta.url);
const programOf = (packageName: string, path: string) => join(dirname(resolve(`${packageName}/package.json`)), path);

const programs = {
  types: programOf('openapi-typescript', 'bin/cli.js'),
  sdk: programOf('@hey-api/openapi-ts', 'bin/run.js'),
  compiler: programOf('typescript', 'bin/tsc'),
};

const clients = ['by-types.ts', 'by-sdk.ts'];

const settings = {
  compilerOptions: {
    ...{ strict: true, target: 'es2023', lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'], types: [] },
    ...{
      module: 'commonjs',
      moduleResolution: 'node10',

      outDir: 'compiled',
      skipLibCheck: false,
    },
  },
  files: clients,
};

/**
 * Generates from an OpenAPI document in a folder what `openapi-typescript` and `@hey-api/openapi-ts` make of it, and compiles the two clients that use it, to
 * CommonJS in `compiled`. Rejects with what a generator or the compiler says.
 */
export async function generateClients(folder: string, document: string): Promise<void> {
  const file = join(folder, 'openapi.json');
  await writeFile(file, document);
  const node = (program: string, ...given: string[]) => run(process.execPath, [program, ...given], { cwd: folder });
  await node(programs.types, file, '--output', 'types.ts');
  await node(programs.sdk, '--input', file, '--output', 'sdk', '--silent');
  // Kept as text: they compile next to the generated files, and nowhere else.
  for (const name of clients)
    await copyFile(fileURLToPath(new URL(`../clients/${name}.txt`, import.meta.url)), join(folder, name));
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(settings));
  await node(programs.compiler, '--project', '.').catch(({ stdout, message }) => {
    throw new Error(stdout || message);
  });
}

/** Runs a compiled client with the stack's address and key; returns its output. */
export async function runClient(folder: string, name: 'by-types' | 'by-sdk', env: { url: string; key: string }) {
  const variables = { ATTACHE_URL: env.url, ATTACHE_KEY: env.key };
  const { stdout } = await run(process.execPath, [join(folder, 'compiled', `${name}.js`)], {
    env: variables,
    timeout: 60_000,
  });
  return JSON.parse(stdout) as { status: string; kinds: string[]; sha256: string | undefined };
}
