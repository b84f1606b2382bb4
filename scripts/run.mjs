// Plain JavaScript for Node 20 with nothing installed: brings Node 24, pnpm and the packages, then runs the given program on Node 24. `--light` before it
// says that it needs only what the product itself runs with.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PNPM = 'pnpm@12.21.0';
const LOOK_MS = 500;
const root = fileURLToPath(new URL('..', import.meta.url));
const bin = join(root, 'node_modules/.bin');
const stampFile = join(root, 'node_modules/.attache-installed');
// The real binary, not a wrapper in .bin: signals must reach the program itself.
const node = join(root, `node_modules/node-linux-${process.arch}/bin/node`);

function fail(sentence, exitCode = 1) {
  process.stderr.write(`${sentence}\n`);
  process.exit(exitCode);
}

function hashInstallInputs() {
  const hash = createHash('sha256');
  for (const name of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', '.pnpmfile.cjs']) {
    const path = join(root, name);
    if (!existsSync(path)) fail(`${name} is missing. Restore it (git checkout ${name}), then run the command again.`);
    hash.update(readFileSync(path));
  }
  return hash.digest('hex');
}

const lightOf = (stamp) => `${stamp} light`;
const readStamp = () => (existsSync(stampFile) && existsSync(node) ? readFileSync(stampFile, 'utf8') : '');

function isInstalled(stamp, isLight) {
  const installed = readStamp();
  return installed === stamp || (isLight && installed === lightOf(stamp));
}

function installPackages(stamp, isLight) {
  const what = isLight ? 'what Attaché runs with' : 'all packages, those of the tests too';
  process.stderr.write(`Installing Node 24 and ${what} (first run, or the lockfile changed) …\n`);
  const part = isLight ? ['--prod', '--filter-prod', 'attache...'] : [];
  const args = ['-y', PNPM, 'install', '--frozen-lockfile', '--config.confirm-modules-purge=false', ...part];
  const result = spawnSync('npx', args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (result.error)
    fail(`npx could not be started (${result.error.code}). Install Node with npm, then run the command again.`);
  if (result.status !== 0 || !existsSync(node)) {
    fail(
      'The packages could not be installed (see above). Check the network and that pnpm-lock.yaml is as committed, then run the command again.',
      result.status || 1,
    );
  }
  writeFileSync(stampFile, isLight ? lightOf(stamp) : stamp);
}

/** npm ends its shell, which passes no signal on: what npm started then ends as by SIGTERM. */
function endWithNpm(end) {
  if (process.env.npm_command === undefined) return;
  const shell = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(timer);
    end();
  }, LOOK_MS);
  timer.unref();
}

function runProgram(words) {
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH ?? ''}` };
  const child = spawn(realpathSync(node), words, { cwd: process.cwd(), stdio: 'inherit', env });
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  endWithNpm(() => child.kill('SIGTERM'));
  // A terminal sends SIGINT to the child too: only outlive it.
  process.on('SIGINT', () => {});
  child.on('error', (error) => fail(`Node 24 could not be started: ${error.message}`));
  child.on('exit', (code, signal) => {
    process.exitCode = signal ? 128 + constants.signals[signal] : (code ?? 1);
  });
}

if (process.platform !== 'linux' || !['x64', 'arm64'].includes(process.arch)) {
  fail('Attaché runs on Linux (x64, arm64). On other systems, run it in a Linux container or virtual machine.');
}
const given = process.argv.slice(2);
const needsLittle = given[0] === '--light';
const args = needsLittle ? given.slice(1) : given;
const installed = readStamp();
const isWholeHere = installed !== '' && !installed.endsWith(lightOf(''));
// The hosted stack starts servers, which come with the packages of the tests. Who had all packages keeps them.
const isLight = needsLittle && !args.includes('--stack') && !isWholeHere;
const stamp = hashInstallInputs();
if (!isInstalled(stamp, isLight)) installPackages(stamp, isLight);
runProgram(args);
