#!/usr/bin/env node
// Plain JavaScript for Node 20: runs Attaché on this Node, or on the one that the package brings where this is older.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

const LEAST_MAJOR = 24;
const LOOK_MS = 500;
const program = new URL('./attache.js', import.meta.url);

function fail(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}

/** The program of the package `node-linux-<architecture>`, which comes with this one. */
function findNode() {
  try {
    return createRequire(import.meta.url).resolve(`node-linux-${process.arch}/bin/node`);
  } catch {
    return fail(
      `Attaché needs Node ${LEAST_MAJOR}, and the package node-linux-${process.arch} that brings it is missing. Install again without --omit=optional, or use Node ${LEAST_MAJOR}.`,
    );
  }
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

function runOn(node) {
  const child = spawn(node, [fileURLToPath(program), ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  endWithNpm(() => child.kill('SIGTERM'));
  // A terminal sends SIGINT to the child too: only outlive it.
  process.on('SIGINT', () => {});
  child.on('error', (error) => fail(`Node ${LEAST_MAJOR} could not be started: ${error.message}`));
  child.on('exit', (code, signal) => {
    process.exitCode = signal ? 128 + constants.signals[signal] : (code ?? 1);
  });
}

if (process.platform !== 'linux' || !['x64', 'arm64'].includes(process.arch))
  fail('Attaché runs on Linux (x64, arm64). On other systems, run it in a Linux container or virtual machine.');
const [major] = process.versions.node.split('.');
if (Number(major) >= LEAST_MAJOR) {
  endWithNpm(() => process.kill(process.pid, 'SIGTERM'));
  await import(program.href);
} else runOn(findNode());
