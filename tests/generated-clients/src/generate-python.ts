import { execFile } from 'node:child_process';
import { copyFile, glob, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PAGE = fileURLToPath(new URL('../../../docs/http.md', import.meta.url));
const CLIENT = fileURLToPath(new URL('../clients/by_python.py', import.meta.url));

/** The blocks of code in `docs/http.md` on a client for Python: the commands that make and install it, and the function that follows a session. */
async function readPage(): Promise<{ commands: string; follow: string }> {
  const page = await readFile(PAGE, 'utf8');
  const blocks = [...page.matchAll(/^```(sh|python)\n([\s\S]*?)^```$/gm)];
  const find = (language: string, word: string) => {
    const found = blocks.find(([, inLanguage, text]) => inLanguage === language && text?.includes(word));
    if (found?.[2] === undefined) throw new Error(`docs/http.md has no block with ${word}.`);
    return found[2];
  };
  return { commands: find('sh', 'openapi-python-client'), follow: find('python', 'def follow(') };
}

const placesOf = (folder: string) => ({ python: join(folder, 'python', 'bin'), client: join(folder, 'client') });

/**
 * Makes from an OpenAPI document a client as `docs/http.md` says, in a new environment of Python in the folder, and compiles it. `bin` has the generator. Returns
 * what the generator said, which is nothing where it took all of the document, and how many lines it wrote. Rejects if a command fails or something does not compile.
 */
export async function generatePython(
  folder: string,
  { bin, document }: { bin: string; document: string },
): Promise<{ said: string; lineCount: number }> {
  const { commands, follow } = await readPage();
  const { python, client } = placesOf(folder);
  await writeFile(join(folder, 'openapi.json'), document);
  await run(join(bin, 'python3'), ['-m', 'venv', join(folder, 'python')]);
  // The environment has what pip needs to reach its index.
  const env = { ...process.env, PATH: `${python}:${bin}:${process.env.PATH}`, PIP_QUIET: '1' };
  const { stdout, stderr } = await run('sh', ['-ec', commands], { cwd: folder, env });
  await mkdir(client);
  await writeFile(join(client, 'follow_session.py'), follow);
  await copyFile(CLIENT, join(client, 'by_python.py'));
  await run(join(python, 'python3'), ['-m', 'compileall', '-q', 'attache-client', client], { cwd: folder });
  let lineCount = 0;
  for await (const path of glob('attache-client/attache_client/**/*.py', { cwd: folder }))
    lineCount += (await readFile(join(folder, path), 'utf8')).split('\n').length - 1;
  return { said: `${stdout}${stderr}`.replace(/^Generating \S+\n/, '').trim(), lineCount };
}

/** `followed` has the class of each event that the client was sent live, `resumedAt` the seq of the first after the second. */
type Done = {
  status: string;
  kinds: string[];
  followed: string[];
  resumedAt: number;
  sha256: string | undefined;
  importSeconds: number;
};

/** Runs the client with the stack's address and key; returns its output. */
export async function runPython(folder: string, { url, key }: Record<'url' | 'key', string>) {
  const { python, client } = placesOf(folder);
  const env = { ATTACHE_URL: url, ATTACHE_KEY: key };
  const { stdout } = await run(join(python, 'python3'), ['by_python.py'], { cwd: client, env, timeout: 60_000 });
  return JSON.parse(stdout) as Done;
}
