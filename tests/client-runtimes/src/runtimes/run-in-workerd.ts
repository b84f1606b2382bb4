import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { RunOptions } from '../context.ts';
import type { CaseResult } from '../suite.ts';
import { bundleEntry } from './bundle-entry.ts';

const ofWorkerd = createRequire(createRequire(import.meta.url).resolve('workerd/package.json'));

// Loopback is a private network to it.
const config = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "suite", worker = (
      modules = [(name = "suite", esModule = embed "suite.mjs")],
      compatibilityDate = "2026-11-01",
    )),
    (name = "internet", network = (allow = ["public", "private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "suite")],
);
`;

export async function runInWorkerd(folder: string, options: RunOptions): Promise<CaseResult[]> {
  await writeFile(join(folder, 'suite.mjs'), await bundleEntry('worker'));
  await writeFile(join(folder, 'config.capnp'), config);
  const architecture = process.arch === 'arm64' ? 'arm64' : '64';
  const program = ofWorkerd.resolve(`@cloudflare/workerd-linux-${architecture}/bin/workerd`);
  const child = spawn(program, ['serve', '--control-fd=3', join(folder, 'config.capnp')], {
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  });
  try {
    const port = await readPort(child.stdio[3] as NodeJS.ReadableStream);
    const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: JSON.stringify(options) });
    return await (response.json() as Promise<CaseResult[]>);
  } finally {
    const ended = once(child, 'exit');
    child.kill();
    await ended;
  }
}

async function readPort(controls: NodeJS.ReadableStream): Promise<number> {
  for await (const line of createInterface({ input: controls })) {
    const { event, port } = JSON.parse(line);
    if (event === 'listen') return port;
  }
  throw new Error('workerd ended before it listened');
}
