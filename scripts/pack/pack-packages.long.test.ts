import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { listPublished } from './list-published.ts';
import { type PackedArchive, packPublished } from './pack-published.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const ANALYSE = fileURLToPath(new URL('__fixtures__/analyse-types.ts', import.meta.url));
/** The oldest that is supported, and one between: what the CLI brings is the one that runs this. */
const others = ['20.19.5', '22.21.1'];
const brought = process.versions.node;

let folder: string;
let place: string;
let archives: PackedArchive[];
const libraries = listPublished(root).filter(({ isBundled }) => !isBundled);
const bins = new Map([[brought, dirname(process.execPath)]]);
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'attache-packages-'));
  const out = join(folder, 'out');
  archives = await packPublished(root, out);
  const all = install('somebody', ...archives.map(({ archive }) => archive), '@types/node@24');
  const nodes = others.map((version) => install(`node-${version}`, `node-linux-${process.arch}@${version}`));
  place = await all;
  for (const [index, node] of (await Promise.all(nodes)).entries())
    bins.set(others[index] ?? '', join(node, `node_modules/node-linux-${process.arch}/bin`));
}, 300_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A folder that knows nothing of this repository, with these packages. */
async function install(name: string, ...packages: string[]): Promise<string> {
  const made = join(folder, name);
  await mkdir(made, { recursive: true });
  await writeFile(join(made, 'package.json'), JSON.stringify({ name: 'somebody', private: true, type: 'module' }));
  await run('npm', ['install', '--no-audit', '--no-fund', ...packages], { cwd: made });
  return made;
}

const environmentOf = (version: string) => ({
  PATH: [bins.get(version), process.env.PATH].join(delimiter),
  ...{ HOME: join(folder, 'home'), TMPDIR: folder, ATTACHE_DATA_DIR: join(folder, `data-${version}`) },
  ...{ ATTACHE_PORT: '0', ATTACHE_OPS_PORT: '0' },
});

const attache = (version: string, ...args: string[]) =>
  run('npx', ['--no-install', 'attache', ...args], { cwd: place, env: environmentOf(version), maxBuffer: 1e7 });

describe('the packages', () => {
  it('hold what they run with and its types, and no sources or tests', async () => {
    for (const name of libraries.map((each) => basename(each.folder))) {
      const files = await readdir(join(folder, 'out', name), { recursive: true });
      expect(files).toEqual(expect.arrayContaining(['README.md', 'LICENSE', 'dist/index.js', 'dist/index.d.ts']));
      expect(files.filter((file) => /(?<!\.d)\.ts$|test|__fixtures__/.test(file))).toEqual([]);
      const types = files.filter((file) => file.endsWith('.d.ts'));
      const texts = await Promise.all(types.map((file) => readFile(join(folder, 'out', name, file), 'utf8')));
      expect(texts.filter((text) => /['"]\.[^'"]*\.ts['"]/.test(text))).toEqual([]);
    }
    const manifest = JSON.parse(await readFile(join(folder, 'out/agent-kit/package.json'), 'utf8'));
    expect(manifest.dependencies).toEqual({ '@attache/contracts': manifest.version });
  });

  it.each([...others, brought])('run on Node %s', async (version) => {
    await writeFile(
      join(place, 'use.js'),
      `import { createToolContext } from '@attache/agent-kit';
import { eventKinds, idSchema } from '@attache/contracts';
import { AGENT_SOCKET_VARIABLE } from '@attache/contracts/agent-variables';
const { available } = createToolContext();
console.log(JSON.stringify({ version: process.version, available, kinds: eventKinds.length > 30, isId: idSchema('agent').safeParse('x').success, AGENT_SOCKET_VARIABLE }));`,
    );
    const env = environmentOf(version);
    const { stdout } = await run('node', ['use.js'], { cwd: place, env });
    expect(JSON.parse(stdout)).toEqual({
      ...{ version: `v${version}`, available: false, kinds: true, isId: false },
      AGENT_SOCKET_VARIABLE: 'ATTACHE_AGENT_SOCKET',
    });
    expect(JSON.parse((await attache(version, 'openapi')).stdout).openapi).toBe('3.1.0');
    const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
    const bridge = await run('sh', ['-c', `echo '${request}' | npx --no-install attache-mcp`], { cwd: place, env });
    expect(JSON.parse(bridge.stdout)).toMatchObject({ id: 1 });
  });

  it('are as publint and @arethetypeswrong want them', async () => {
    for (const { name, archive } of archives) {
      const bytes = await readFile(archive);
      const { messages } = await publint({ pack: { tarball: Uint8Array.from(bytes).buffer }, strict: true });
      expect([name, messages.map((message) => formatMessage(message, { name }) ?? message.code)]).toEqual([name, []]);
      if (name === '@attache/cli') continue;
      const { stdout } = await run(process.execPath, [ANALYSE, archive]);
      const problems: string[] = JSON.parse(stdout);
      // They are modules alone: Node requires such since 20.19.
      expect([name, problems.filter((kind) => kind !== 'CJSResolvesToESM')]).toEqual([name, []]);
    }
  });

  it('fit the code of who compiles against them', async () => {
    await writeFile(
      join(place, 'use.ts'),
      `import { createToolContext, type ToolContext } from '@attache/agent-kit';
import { type Delivery, deliverySchema, type SessionEvent } from '@attache/contracts';
export const context: ToolContext = createToolContext();
export const read = (text: string): Delivery => deliverySchema.parse(JSON.parse(text));
export const kindOf = ({ kind }: SessionEvent): string => kind;
// @ts-expect-error: there is no such kind
export const none: SessionEvent['kind'] = 'agent.unheard';
`,
    );
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--types', 'node', 'use.ts'];
    const said = run(process.execPath, [compiler, ...options], { cwd: place }).catch(
      (error: { stdout: string }) => error,
    );
    expect((await said).stdout).toBe('');
  });
});

describe('the CLI on Node 20', () => {
  const [oldest = ''] = others;

  it('runs the demo: the main job goes as planned', async () => {
    expect((await attache(oldest, 'demo')).stdout).toContain('As planned');
  });

  it('says what a machine has, and what it lacks', async () => {
    const { stdout } = await attache(oldest, 'doctor', '--no-start', '--json').catch(
      (error: { stdout: string }) => error,
    );
    expect(JSON.parse(stdout)).toHaveProperty('profiles');
  });

  it('starts, serves, and ends by a signal', async () => {
    const launcher = join(place, 'node_modules/@attache/cli/launch.mjs');
    const env = environmentOf(oldest);
    const child = spawn('node', [launcher, 'start'], { cwd: place, env, stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    const url = await findUrl(child);
    expect((await fetch(`${url}/openapi.json`)).status).toBe(200);
    expect(existsSync(join(folder, `data-${oldest}/api-key`))).toBe(true);
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });
});

describe('SIGTERM to npx', () => {
  it.each([others[0] ?? '', brought])('ends the CLI that it started, on Node %s', async (version) => {
    const env = { ...environmentOf(version), ATTACHE_DATA_DIR: join(folder, `npx-${version}`) };
    const start = ['--no-install', 'attache', 'start'];
    const npx = spawn('npx', start, { cwd: place, env, stdio: ['ignore', 'pipe', 'inherit'] });
    const url = await findUrl(npx);
    expect((await fetch(`${url}/openapi.json`)).status).toBe(200);
    // The program that npx started holds its output open.
    const ended = once(npx.stdout, 'close');
    npx.stdout.resume();
    npx.kill('SIGTERM');
    await ended;
    await expect(fetch(`${url}/openapi.json`)).rejects.toThrow();
  });
});

async function findUrl({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('it has no standard output');
  for await (const line of createInterface({ input: stdout })) {
    const [, url] = /^Attaché ready on (http:\S+)$/.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error('it ended before it was ready');
}
