import { spawn } from 'node:child_process';
import { randomInt, randomUUID } from 'node:crypto';
import { lchown, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentSpec } from '../driver.ts';
import { type AgentUsers, createAgentUsers } from '../users/agent-users.ts';
import { findBarrier } from '../users/find-barrier.ts';
import { attack } from './__fixtures__/attack.ts';
import { whereAttacked } from './__fixtures__/where-sandboxed.ts';
import { deniedCalls } from './seccomp/denied-calls.ts';

const otherGateway = fileURLToPath(new URL('__fixtures__/hostile-gateway.ts', import.meta.url));
const NOBODY = 65_534;

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
    ...{ port: (tcp.address() as { port: number }).port },
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

const attackFrom = (sandbox: AgentSpec['sandbox'], users?: AgentUsers): Promise<string[]> =>
  attack({ folder: path.join(data, 'agents', 'hostile'), sandbox, targets, users });

/** The same by a gateway that is another user, which owns the data. */
async function attackFromOther(sandbox: AgentSpec['sandbox']): Promise<string[]> {
  for (const place of [data, ...(await readdir(data, { recursive: true })).map((name) => path.join(data, name))])
    await lchown(place, NOBODY, NOBODY);
  const gateway = spawn(process.execPath, [otherGateway], {
    ...{ uid: NOBODY, gid: NOBODY, cwd: '/', env: { PATH: '/usr/bin:/bin' } },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  gateway.stdin.end(JSON.stringify({ folder: path.join(data, 'agents', 'hostile'), sandbox, targets }));
  return (await json(gateway.stdout)) as string[];
}

/** Whether another user can run the programs here at all. */
const canBeOther =
  process.getuid?.() === 0 &&
  (await findBarrier([otherGateway, process.execPath, '/usr/bin/python3'], { uid: NOBODY, gid: NOBODY })) === undefined;

describe.runIf(await whereAttacked())('a hostile agent', () => {
  it('reaches nothing from inside its sandbox [BX-22 S19 S20 A20]', async () => {
    expect(await attackFrom({ readOnly: [], privateFolders: [] })).toEqual([]);
  });

  it.runIf(process.getuid?.() === 0)('reaches nothing as a user of its own [BX-22 S19]', async () => {
    const first = 1_800_000_000 + randomInt(100_000_000);
    const users = createAgentUsers({ first, last: first });
    expect(await attackFrom({ readOnly: [], privateFolders: [data] }, users)).toEqual([]);
  });

  it.runIf(canBeOther)('reaches nothing where its gateway is not root [BX-22 S19]', async () => {
    expect(await attackFromOther({ readOnly: [], privateFolders: [] })).toEqual([]);
    expect(await attackFromOther(undefined)).toContain("reads another agent's file");
  });

  it('reaches what is said above without one, so that the attempts are real', async () => {
    expect(await attackFrom(undefined)).toEqual(
      expect.arrayContaining([
        'reads the keys of the platform',
        "reads another agent's file",
        'writes into the data folder',
        "writes into another agent's folder",
        "reads the gateway's environment",
        "lists the gateway's descriptors",
        'signals the gateway',
        "reaches a port of the machine's loopback",
        ...['2130706433', '0x7f000001', '0177.0.0.1', '127.1'].map((each) => `reaches that port as ${each}`),
        "reaches another agent's socket",
        'reaches an abstract socket',
        'asks for a key',
      ]),
    );
  });
});
