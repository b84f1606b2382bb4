#!/usr/bin/env node
// Plain JavaScript for Node 20: runs Attaché on this Node, or on the one that the package brings where this is older.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

const LEAST_MAJOR = 24;
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

function runOn(node) {
  const child = spawn(node, [fileURLToPath(program), ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
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
if (Number(major) >= LEAST_MAJOR) await import(program.href);
else runOn(findNode());
