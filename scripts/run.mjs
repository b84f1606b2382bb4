// Plain JavaScript for Node 20 with nothing installed: brings Node 24, pnpm and the packages, then runs the given program on Node 24.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PNPM = 'pnpm@12.21.0';
const root = fileURLToPath(new URL('..', import.meta.url));
const bin = join(root, 'node_modules/.bin');
const stampFile = join(root, 'node_modules/.attache-installed');

function hashInstallInputs() {
  const hash = createHash('sha256');
  for (const name of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', '.pnpmfile.cjs']) hash.update(readFileSync(join(root, name)));
  return hash.digest('hex');
}

function isInstalled(stamp) {
  return existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp && existsSync(join(bin, 'node'));
}

function installPackages(stamp) {
  process.stderr.write('Installing Node 24 and packages (first run, or the lockfile changed) …\n');
  const args = ['-y', PNPM, 'install', '--frozen-lockfile', '--config.confirm-modules-purge=false'];
  const result = spawnSync('npx', args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (result.status !== 0 || !existsSync(join(bin, 'node'))) {
    process.stderr.write(
      'The packages could not be installed (see above). Check the network and that pnpm-lock.yaml is as committed, then run the command again.\n',
    );
    process.exit(result.status || 1);
  }
  writeFileSync(stampFile, stamp);
}

function runProgram(args) {
  // The real binary, not the .bin shell wrapper: signals must reach the program itself.
  const arch = process.arch === 'arm64' ? 'arm64' : 'x64';
  const node = realpathSync(join(root, `node_modules/node-linux-${arch}/bin/node`));
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH ?? ''}` };
  const child = spawn(node, args, { cwd: process.cwd(), stdio: 'inherit', env });
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  // A terminal sends SIGINT to the child too: only outlive it.
  process.on('SIGINT', () => {});
  child.on('exit', (code, signal) => {
    process.exitCode = signal ? 130 : (code ?? 1);
  });
}

if (process.platform !== 'linux') {
  process.stderr.write('Attaché runs on Linux (x64, arm64). On other systems, run it in a Linux container or virtual machine.\n');
  process.exit(1);
}
const stamp = hashInstallInputs();
if (!isInstalled(stamp)) installPackages(stamp);
runProgram(process.argv.slice(2));
