import { execFile } from 'node:child_process';
import { copyFile, glob, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PACKAGE = 'attache_client';
const CLIENT = 'by_python.py';

/** Programs of Python's environment, before those of the machine. */
const environmentOf = (bin: string, more: Record<string, string> = {}) => ({
  ...more,
  PATH: `${bin}:${process.env.PATH ?? ''}`,
});

/**
 * Generates from an OpenAPI document in a folder what `openapi-python-client` makes of it, and compiles it. Returns what the generator said, which is nothing where
 * it took all of the document, and how many lines it wrote. Rejects if something does not compile.
 */
export async function generatePython(
  folder: string,
  { bin, document }: { bin: string; document: string },
): Promise<{ said: string; lineCount: number }> {
  const file = join(folder, 'openapi.json');
  await writeFile(file, document);
  const settings = { cwd: folder, env: environmentOf(bin) };
  const given = ['generate', '--path', file, '--output-path', PACKAGE, '--meta', 'none', '--overwrite'];
  const { stdout, stderr } = await run(join(bin, 'openapi-python-client'), given, settings);
  await copyFile(fileURLToPath(new URL(`../clients/${CLIENT}`, import.meta.url)), join(folder, CLIENT));
  await run(join(bin, 'python3'), ['-m', 'compileall', '-q', PACKAGE, CLIENT], settings);
  let lineCount = 0;
  for await (const path of glob(`${PACKAGE}/**/*.py`, { cwd: folder }))
    lineCount += (await readFile(join(folder, path), 'utf8')).split('\n').length - 1;
  return { said: `${stdout}${stderr}`.replace(/^Generating \S+\n/, '').trim(), lineCount };
}

type Done = { status: string; kinds: string[]; sha256: string | undefined; importSeconds: number };

/** Runs the client with the stack's address and key; returns its output. */
export async function runPython(folder: string, { bin, url, key }: Record<'bin' | 'url' | 'key', string>) {
  const env = environmentOf(bin, { ATTACHE_URL: url, ATTACHE_KEY: key });
  const { stdout } = await run(join(bin, 'python3'), [join(folder, CLIENT)], { env, timeout: 60_000 });
  return JSON.parse(stdout) as Done;
}
