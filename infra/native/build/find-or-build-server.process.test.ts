import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { cacheFolderOf, ensureServerProgram } from './find-or-build-server.ts';
import { readServerSource, type ServerName } from './server-source.ts';

let root: string;
let bin: string;
let cacheFolder: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'attache-build-'));
  bin = join(root, 'bin');
  cacheFolder = join(root, 'cache');
  await mkdir(bin);
  onTestFinished(() => rm(root, { recursive: true, force: true }));
});

// Only `bin` and the shell's own tools are on PATH: no server and no Go of this machine.
const environmentOf = () => ({ PATH: bin, HOME: root, LOG: join(root, 'go.log') });

const addProgram = (name: string, script: string) =>
  writeFile(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });

/** A Go that notes each build and writes a program instead of compiling one. */
const addGo = (version = 'go1.26.3', build = 'printf "#!/bin/sh\\n" > "$out"; /bin/chmod 755 "$out"') =>
  addProgram(
    'go',
    `case "$1" in
env) echo ${version} ;;
build)
  echo "$GOTOOLCHAIN $CGO_ENABLED $*" >> "$LOG"
  while [ "$1" != -o ]; do shift; done
  out=$2
  ${build} ;;
esac`,
  );

const countBuilds = async () => (await readFile(join(root, 'go.log'), 'utf8')).trim().split('\n').length;

const ensure = (name: ServerName, onProgress: (line: string) => void = () => {}) =>
  ensureServerProgram({ name, environment: environmentOf(), cacheFolder, onProgress });

const programOf = async (name: ServerName) => {
  const { version } = await readServerSource(name);
  return join(cacheFolder, `${name}-${version}`, name);
};

describe('a server on PATH', () => {
  it('is used as it is', async () => {
    await addProgram('minio', '');
    expect(await ensure('minio')).toEqual({ program: join(bin, 'minio') });
  });

  it('is used in the case of NATS only if its version is allowed', async () => {
    await addProgram('nats-server', 'echo nats-server: v2.11.16');
    expect(await ensure('nats-server')).toEqual({ program: join(bin, 'nats-server') });
    await addProgram('nats-server', 'echo nats-server: v2.9.10');
    await addGo();
    expect(await ensure('nats-server')).toEqual({ program: await programOf('nats-server') });
  });
});

describe('a server that is not there', () => {
  it('is built once, with progress, and found in the cache afterwards', async () => {
    await addGo();
    const lines: string[] = [];
    const built = { program: await programOf('minio') };
    expect(await ensure('minio', (line) => lines.push(line))).toEqual(built);
    expect(lines[0]).toMatch(/^building minio v\S+ \(about two minutes on two cores\) …$/);
    expect(lines.at(-1)).toMatch(/^built minio in \d+ s$/);
    expect(await ensure('minio')).toEqual(built);
    expect(await countBuilds()).toBe(1);
    expect(await readFile(join(root, 'go.log'), 'utf8')).toMatch(/^local 0 build -trimpath/);
  });

  it('is built once where two processes want it', async () => {
    await addGo('go1.26.3', '/bin/sleep 0.5; printf "#!/bin/sh\\n" > "$out"; /bin/chmod 755 "$out"');
    const module = JSON.stringify(fileURLToPath(new URL('find-or-build-server.ts', import.meta.url)));
    const code = `
      import { ensureServerProgram } from ${module};
      const options = JSON.parse(process.argv[1]);
      process.stdout.write(JSON.stringify(await ensureServerProgram(options)));`;
    const options = JSON.stringify({ name: 'versitygw', environment: environmentOf(), cacheFolder });
    const run = () =>
      spawn(process.execPath, ['--input-type=module', '-e', code, options], { stdio: ['ignore', 'pipe', 'inherit'] });
    const answers = await Promise.all([run(), run()].map(({ stdout }) => text(stdout)));
    const built = { program: await programOf('versitygw') };
    expect(answers.map((answer) => JSON.parse(answer))).toEqual([built, built]);
    expect(await countBuilds()).toBe(1);
    expect(await readdir(cacheFolder)).toHaveLength(1);
  });

  it('is built although a process died while it built', async () => {
    await addGo();
    const dead = spawn('/bin/true');
    await once(dead, 'exit');
    const { version } = await readServerSource('minio');
    await mkdir(join(cacheFolder, `minio-${version}`), { recursive: true });
    await writeFile(join(cacheFolder, `minio-${version}.lock`), `${dead.pid} 1`);
    await writeFile(join(cacheFolder, `minio-${version}`, 'minio.draft'), 'half');
    const program = await programOf('minio');
    expect(await ensure('minio')).toEqual({ program });
    expect(await readFile(program, 'utf8')).toBe('#!/bin/sh\n');
    expect(await readdir(join(cacheFolder, `minio-${version}`))).toEqual(['minio']);
  });

  it('is built although the lock names a process id that another process has now', async () => {
    await addGo();
    const { version } = await readServerSource('minio');
    await mkdir(cacheFolder);
    await writeFile(join(cacheFolder, `minio-${version}.lock`), `${process.pid} 1`);
    expect(await ensure('minio')).toEqual({ program: await programOf('minio') });
  });
});

describe('a server that cannot be had', () => {
  it('says what the build said', async () => {
    await addGo('go1.26.3', 'echo first >&2; echo "no such module" >&2; exit 3');
    const found = await ensure('minio');
    expect(found).toHaveProperty('missing', expect.stringContaining('no such module\ngo build ended with exit code 3'));
    const { version } = await readServerSource('minio');
    expect(await readdir(cacheFolder)).toEqual([`minio-${version}`]);
    expect(await readdir(join(cacheFolder, `minio-${version}`))).toEqual([]);
  });

  it('says that Go is missing', async () => {
    expect(await ensure('minio')).toHaveProperty('missing', expect.stringContaining('Go 1.26 or newer is not on PATH'));
  });

  it('says that Go is too old', async () => {
    await addGo('go1.25.9');
    expect(await ensure('minio')).toHaveProperty('missing', expect.stringContaining('PATH has go1.25.9'));
  });
});

describe('the cache folder', () => {
  it('lies where the machine keeps such things', () => {
    expect(cacheFolderOf({ XDG_CACHE_HOME: '/cache', HOME: '/home/a' })).toBe('/cache/attache');
    expect(cacheFolderOf({ HOME: '/home/a' })).toBe('/home/a/.cache/attache');
  });
});
