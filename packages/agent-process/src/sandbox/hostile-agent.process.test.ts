import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { givenSpec } from '../__fixtures__/given-spec.ts';
import type { AgentSpec } from '../driver.ts';
import { prepareSettings } from '../settings/prepare-settings.ts';
import { spawnAgent } from '../spawn-agent.ts';
import { whereAttacked } from './__fixtures__/where-sandboxed.ts';
import { deniedCalls } from './seccomp/denied-calls.ts';

const script = fileURLToPath(new URL('__fixtures__/hostile-agent.py', import.meta.url));
const context = { inherited: { PATH: '/usr/local/bin:/usr/bin:/bin' }, redact: (each: string) => each };

let data: string;
let servers: Server[];
let targets: Record<string, unknown>;
beforeEach(async () => {
  data = await mkdtemp(path.join(tmpdir(), 'attache-data-'));
  const other = path.join(data, 'agents', 'other');
  await mkdir(other, { recursive: true });
  await writeFile(path.join(other, 'secret'), 'of another tenant');
  await writeFile(path.join(data, 'signing-keys'), 'of all');
  const abstract = `attache-${randomUUID()}`;
  const [tcp, unix, hidden] = [createServer(), createServer(), createServer()];
  servers = [tcp, unix, hidden];
  for (const server of servers) server.on('connection', (socket) => socket.destroy());
  await Promise.all([listen(tcp, 0), listen(unix, path.join(data, 'other.sock')), listen(hidden, `\0${abstract}`)]);
  const arch = process.arch === 'arm64' ? 'arm64' : 'x64';
  targets = {
    files: {
      'the keys of the platform': path.join(data, 'signing-keys'),
      "another agent's file": path.join(other, 'secret'),
      '/etc/shadow': '/etc/shadow',
      "the machine's passwords": '/etc/gshadow',
    },
    folders: {
      'the data folder': data,
      "another agent's folder": other,
      '/usr': '/usr',
      '/etc': '/etc',
      '/': '/',
      '/dev': '/dev',
    },
    ...{ gatewayPid: process.pid, port: (tcp.address() as { port: number }).port },
    ...{ socket: path.join(data, 'other.sock'), abstract },
    calls: { keyctl: deniedCalls.keyctl[arch], io_uring_setup: deniedCalls.io_uring_setup[arch] },
  };
});
afterEach(async () => {
  for (const server of servers) server.close();
  await rm(data, { recursive: true });
});

function listen(server: Server, where: number | string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    if (typeof where === 'number') server.listen(where, '127.0.0.1', resolve);
    else server.listen(where, resolve);
  });
}

async function attack(sandbox: AgentSpec['sandbox']): Promise<string[]> {
  const spec = givenSpec({
    command: ['python3', script],
    folder: path.join(data, 'agents', 'hostile'),
    ...{ socketPath: '', token: `ata_${randomUUID()}`, marker: 'test.1', sandbox },
  });
  const settings = { defaults: {}, env: {}, args: [], files: [], homeFolder: spec.folder };
  await prepareSettings(spec, () => settings, context.redact);
  const outcome = await spawnAgent(spec, settings, context);
  if (outcome.status === 'failed') throw new Error(outcome.failure.diagnostic);
  const { child } = outcome;
  child.stdin.end(JSON.stringify(targets));
  const said = await text(child.stdout);
  const exit = await child.exited;
  if (exit.exitCode !== 0) throw new Error(exit.diagnostic);
  return JSON.parse(said);
}

describe.runIf(await whereAttacked())('a hostile agent', () => {
  it('reaches nothing from inside its sandbox [BX-22 S19 S20 A9 A20]', async () => {
    expect(await attack({ readOnly: [], privateFolders: [] })).toEqual([]);
  });

  it('reaches what is said above without one, so that the attempts are real', async () => {
    expect(await attack(undefined)).toEqual(
      expect.arrayContaining([
        'reads the keys of the platform',
        "reads another agent's file",
        'writes into the data folder',
        "writes into another agent's folder",
        "reads the gateway's environment",
        "lists the gateway's descriptors",
        'signals the gateway',
        "reaches a port of the machine's loopback",
        "reaches another agent's socket",
        'reaches an abstract socket',
        'asks for a key',
      ]),
    );
  });
});
