import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

type Ended = { exitCode: number | null; signal: string | null; stdout: string; stderr: string };

const script = fileURLToPath(new URL('run.mjs', import.meta.url));
const bundledNode = `node_modules/node-linux-${process.arch}/bin`;
// Leaves the files of a successful install, and a note of its arguments.
const goodNpx = `printf '%s\\n' "$@" >> npx-arguments
mkdir -p node_modules/.bin ${bundledNode}
ln -sf '${process.execPath}' ${bundledNode}/node`;

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'attache-run-'));
  mkdirSync(join(root, 'scripts'));
  mkdirSync(join(root, 'path'));
  copyFileSync(script, join(root, 'scripts/run.mjs'));
  for (const name of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', '.pnpmfile.cjs']) writeFileSync(join(root, name), name);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('the first run', () => {
  it('installs by the lockfile, then runs the program', async () => {
    provideNpx(goodNpx);
    writeProgram("process.stdout.write('ran');");
    expect(await run(['program.mjs'])).toMatchObject({ exitCode: 0, stdout: 'ran' });
    expect(readNpxArguments()).toContain('--frozen-lockfile');
  });

  it('is remembered until the lockfile changes', async () => {
    provideNpx(goodNpx);
    writeProgram('');
    await run(['program.mjs']);
    const once = readNpxArguments();
    expect(await run(['program.mjs'])).toMatchObject({ exitCode: 0, stderr: '' });
    expect(readNpxArguments()).toBe(once);
    writeFileSync(join(root, 'pnpm-lock.yaml'), 'changed');
    await run(['program.mjs']);
    expect(readNpxArguments()).toBe(once + once);
  });

  it('brings only what the product runs with, where the program needs no more', async () => {
    provideNpx(goodNpx);
    writeProgram('process.stdout.write(process.argv.slice(2).join());');
    expect(await run(['--light', 'program.mjs', 'one'])).toMatchObject({ exitCode: 0, stdout: 'one' });
    expect(readNpxArguments()).toMatch(/--prod\n--filter-prod\nattache\.\.\.\n/);
    const once = readNpxArguments();
    expect(await run(['--light', 'program.mjs'])).toMatchObject({ exitCode: 0, stderr: '' });
    expect(readNpxArguments()).toBe(once);
    await run(['program.mjs']);
    const whole = readNpxArguments().slice(once.length);
    expect(whole).toContain('--frozen-lockfile');
    expect(whole).not.toContain('--prod');
    // All packages serve both.
    expect(await run(['--light', 'program.mjs'])).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it('brings all packages for the hosted stack, and where all were there before', async () => {
    provideNpx(goodNpx);
    writeProgram('');
    await run(['--light', 'program.mjs', '--stack']);
    writeFileSync(join(root, 'pnpm-lock.yaml'), 'changed');
    await run(['--light', 'program.mjs']);
    expect(readNpxArguments()).not.toContain('--prod');
  });

  it('ends with the exit code of a failed install and says what to do', async () => {
    provideNpx('echo ERR_PNPM_BROKEN_LOCKFILE >&2\nexit 3');
    writeProgram("process.stdout.write('ran');");
    const ended = await run(['program.mjs']);
    expect(ended).toMatchObject({ exitCode: 3, stdout: '' });
    expect(ended.stderr).toMatch(/ERR_PNPM_BROKEN_LOCKFILE.*could not be installed.*run the command again\.\n$/s);
    expect(existsSync(join(root, 'node_modules/.attache-installed'))).toBe(false);
  });

  it('fails where the install claims success but brings no Node', async () => {
    provideNpx('exit 0');
    const ended = await run(['program.mjs']);
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain('could not be installed');
  });

  it('names the missing npx', async () => {
    const ended = await run(['program.mjs'], { PATH: join(root, 'path') });
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain('npx could not be started (ENOENT)');
  });

  it('names a missing lockfile', async () => {
    rmSync(join(root, 'pnpm-lock.yaml'));
    const ended = await run(['program.mjs']);
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toMatch(/^pnpm-lock\.yaml is missing\. [^\n]*\n$/);
  });
});

describe('the program', () => {
  beforeEach(() => provideNpx(goodNpx));

  it('gets its arguments as they are, and finds the tools on PATH', async () => {
    writeProgram("process.stdout.write(JSON.stringify([process.argv.slice(2), process.env.PATH.split(':')[0]]));");
    const { stdout } = await run(['program.mjs', '--name=a b', '*', '', '$HOME']);
    expect(JSON.parse(stdout)).toEqual([['--name=a b', '*', '', '$HOME'], join(root, 'node_modules/.bin')]);
  });

  it('decides the exit code', async () => {
    writeProgram('process.exitCode = 42;');
    expect(await run(['program.mjs'])).toMatchObject({ exitCode: 42 });
  });

  it('gives 128 and the signal where a signal ended it', async () => {
    writeProgram("process.kill(process.pid, 'SIGKILL');");
    expect(await run(['program.mjs'])).toMatchObject({ exitCode: 137 });
  });

  it.each(['SIGTERM', 'SIGHUP'] as const)('gets %s and ends in its own way', async (signal) => {
    writeProgram(`process.on('${signal}', () => { process.stdout.write('drained'); process.exit(7); });
setInterval(() => {}, 1000);
process.stdout.write('ready ');`);
    const child = start(['program.mjs']);
    child.stdout?.once('data', () => child.kill(signal));
    expect(await ended(child)).toMatchObject({ exitCode: 7, stdout: 'ready drained' });
  });
});

function provideNpx(body: string): void {
  const path = join(root, 'path/npx');
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
}

function writeProgram(text: string): void {
  writeFileSync(join(root, 'program.mjs'), text);
}

describe('SIGTERM to npm', () => {
  it.each([
    ['as package.json starts it', 'exec node scripts/run.mjs program.mjs'],
    ['behind a shell, as npx starts a program', 'node scripts/run.mjs program.mjs; true'],
  ])('ends the program with its own handler, %s', async (_, command) => {
    provideNpx(goodNpx);
    writeProgram(`
      import { writeFileSync } from 'node:fs';
      process.once('SIGTERM', () => { writeFileSync('ended', ''); process.exit(0); });
      setTimeout(() => {}, 80_000);
      console.log('ready');
    `);
    writeFileSync(join(root, 'package.json'), JSON.stringify({ scripts: { start: command } }));
    const npm = spawn('npm', ['--silent', 'start'], { cwd: root, env: envOf(), stdio: ['ignore', 'pipe', 'inherit'] });
    await new Promise((resolve) => npm.stdout?.on('data', (chunk) => String(chunk).includes('ready') && resolve(0)));
    npm.kill('SIGTERM');
    await vi.waitFor(() => expect(existsSync(join(root, 'ended'))).toBe(true), { timeout: 60_000 });
  });

  it('finds each start of package.json that lasts without a shell around it', () => {
    const { scripts } = JSON.parse(readFileSync(fileURLToPath(new URL('../package.json', import.meta.url)), 'utf8'));
    for (const name of ['start', 'demo', 'attache', 'stack']) expect(scripts[name]).toMatch(/^exec node /);
  });
});

function readNpxArguments(): string {
  return readFileSync(join(root, 'npx-arguments'), 'utf8');
}

const envOf = (env: Record<string, string> = {}) => {
  const PATH = [join(root, 'path'), process.env.PATH].join(delimiter);
  return { ...process.env, PATH, ...env };
};

function start(args: string[], env?: Record<string, string>): ChildProcess {
  return spawn(process.execPath, ['scripts/run.mjs', ...args], {
    cwd: root,
    env: envOf(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

function run(args: string[], env?: Record<string, string>): Promise<Ended> {
  return ended(start(args, env));
}

function ended(child: ChildProcess): Promise<Ended> {
  const texts = { stdout: '', stderr: '' };
  child.stdout?.on('data', (chunk) => {
    texts.stdout += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    texts.stderr += chunk;
  });
  return new Promise((resolve) => child.on('close', (exitCode, signal) => resolve({ exitCode, signal, ...texts })));
}
