import { hash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { createLogger } from '@attache/telemetry';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { judgeAddress } from './address/judge-address.ts';
import type { AgentEgress, EgressOptions } from './egress-types.ts';
import { openEgress } from './open-egress.ts';

let folder: string;
let far: Server;
let port: number;
let accepted: Socket[];
let egress: AgentEgress | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'attache-egress-'));
  accepted = [];
  far = createServer({ allowHalfOpen: true }, (socket) => {
    accepted.push(socket);
    socket.on('error', () => socket.destroy()).pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(far, 'listening');
  port = (far.address() as AddressInfo).port;
});
afterEach(async () => {
  await egress?.close();
  for (const socket of accepted) socket.destroy();
  far.close();
  await rm(folder, { recursive: true, force: true });
});

const socketPath = () => join(folder, 'out.sock');
const atLoopback = async () => ['127.0.0.1'];
const anyAddress = () => ({ status: 'public' }) as const;

/** To the server of this test, which is at an address that no agent reaches: the judgement is set aside, where it is not what is tested. */
async function open(given: Partial<EgressOptions> = {}): Promise<void> {
  egress = await openEgressAt(socketPath(), given);
}

const openEgressAt = (path: string, given: Partial<EgressOptions> = {}): Promise<AgentEgress> =>
  openEgress({
    ...{ log: createLogger({ service: 'test', level: 'silent' }), agentId: 'agt_test', socketPath: path },
    ...{ allowed: [`far.example:${port}`], resolveName: atLoopback, judge: anyAddress },
    ...given,
  });

/** Asks for a tunnel; the answer's status, and the connection behind its head. */
async function ask(authority: string, path = socketPath()): Promise<{ status: number; socket: Socket; text: string }> {
  const socket = connect({ path, allowHalfOpen: true });
  socket.on('error', () => {});
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`);
  const text = String((await once(socket, 'data'))[0]);
  return { status: Number(text.split(' ')[1]), socket, text };
}

describe('the way out of an agent', () => {
  it('passes bytes both ways to a host and port of its profile, and half-closes [BX-22]', async () => {
    await open();
    const { status, socket } = await ask(`far.example:${port}`);
    expect(status).toBe(200);
    const sent = randomBytes(20_000_000);
    socket.end(sent);
    expect(hash('sha256', await buffer(socket))).toBe(hash('sha256', sent));
  });

  it('is a socket for its owner alone [BX-22]', async () => {
    await open();
    expect((await stat(socketPath())).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['another port', (at: number) => `far.example:${at + 1}`, 403],
    ['another host', (at: number) => `near.example:${at}`, 403],
    ['a host below it', (at: number) => `a.far.example:${at}`, 403],
    ['an address', (at: number) => `127.0.0.1:${at}`, 400],
    ['an address as a number', (at: number) => `2130706433:${at}`, 400],
    ['an address of IPv6', (at: number) => `[::1]:${at}`, 400],
  ])('refuses %s, and connects to nothing [BX-22 A20]', async (_, authorityAt, status) => {
    await open();
    expect((await ask(authorityAt(port))).status).toBe(status);
    expect(accepted).toEqual([]);
  });

  it.each([
    ['of this machine', ['127.0.0.1']],
    ['with the credentials of the machine', ['169.254.169.254']],
    ['among others', ['93.184.215.14', '10.0.0.1']],
    ['of IPv4 within IPv6', ['::ffff:127.0.0.1']],
  ])('refuses a name that has an address %s [BX-22 A20]', async (_, addresses) => {
    await open({ resolveName: async () => addresses, judge: judgeAddress });
    const { status, text } = await ask(`far.example:${port}`);
    expect({ status, text }).toMatchObject({ status: 403, text: expect.stringContaining('no agent may reach') });
    expect(accepted).toEqual([]);
  });

  it('leads to the names of its profile alone, and of these to public addresses alone [BX-22 S20]', async () => {
    const addresses: Record<string, string[]> = { 'far.example': ['93.184.215.14'], 'inside.example': ['10.0.0.1'] };
    const judged: string[] = [];
    await open({
      allowed: [`far.example:${port}`, `inside.example:${port}`],
      resolveName: async (name) => addresses[name] ?? ['93.184.215.15'],
      judge: (address) => {
        judged.push(address);
        return judgeAddress(address);
      },
    });
    expect((await ask(`inside.example:${port}`)).status).toBe(403);
    expect((await ask(`other.example:${port}`)).status).toBe(403);
    expect((await ask(`93.184.215.14:${port}`)).status).toBe(400);
    expect(judged).toEqual(['10.0.0.1']);
    expect(accepted).toEqual([]);
  });

  it('resolves a name once for a connection: what it names later is not reached [BX-22 A20]', async () => {
    const answers = [['127.0.0.1'], ['127.0.0.2']];
    await open({
      resolveName: async () => answers.shift() ?? [],
      judge: (address) => ({ status: address === '127.0.0.1' ? 'public' : 'refused' }),
    });
    expect((await ask(`far.example:${port}`)).status).toBe(200);
    expect((await ask(`far.example:${port}`)).status).toBe(403);
    expect(accepted).toHaveLength(1);
  });

  it('says what it does not find or reach', async () => {
    await open({ resolveName: () => Promise.reject(new Error('ENOTFOUND')) });
    expect((await ask(`far.example:${port}`)).status).toBe(502);
    await egress?.close();
    await open({ resolveName: () => new Promise(() => {}), limits: { resolveMs: 20 } });
    expect((await ask(`far.example:${port}`)).status).toBe(502);
    await egress?.close();
    far.close();
    await open();
    expect((await ask(`far.example:${port}`)).status).toBe(504);
  });

  it('says whether a tunnel was open since it was watched, and counts none that was refused [DL-58]', async () => {
    await open();
    const before = egress?.watch();
    await ask(`near.example:${port}`);
    expect(before?.()).toBe(false);
    const { socket } = await ask(`far.example:${port}`);
    expect([before?.(), egress?.watch()()]).toEqual([true, true]);
    const ended = once(accepted[0] as Socket, 'close');
    socket.destroy();
    await ended;
    await expect.poll(() => egress?.watch()()).toBe(false);
    expect(before?.()).toBe(true);
  });

  it('takes no request in the clear [BX-22]', async () => {
    await open();
    const socket = connect(socketPath());
    socket.end(`GET http://far.example:${port}/ HTTP/1.1\r\nHost: far.example\r\n\r\n`);
    expect(String(await buffer(socket))).toMatch(/^HTTP\/1\.1 405 /);
    expect(accepted).toEqual([]);
  });

  it('lives on when 10,000 connections come, and so does the way of another agent [BX-22]', async () => {
    await open();
    const otherPath = join(folder, 'other.sock');
    const other = await openEgressAt(otherPath);
    onTestFinished(() => other.close());
    const crowd: Socket[] = [];
    const statuses: number[] = [];
    for (let wave = 0; wave < 20; wave += 1) {
      const arrived = Array.from({ length: 500 }, () => connect(socketPath()));
      crowd.push(...arrived);
      await Promise.all(
        arrived.map((socket) => new Promise((resolve) => socket.once('connect', resolve).once('error', resolve))),
      );
      statuses.push((await ask(`far.example:${port}`, otherPath)).status);
    }
    expect(statuses).toEqual(statuses.map(() => 200));
    for (const socket of crowd) socket.destroy();
    await expect.poll(async () => (await ask(`far.example:${port}`).catch(() => ({ status: 0 }))).status).toBe(200);
  });

  it('ends its tunnels with its agent [BX-22]', async () => {
    await open();
    const { socket } = await ask(`far.example:${port}`);
    const ended = once(socket, 'end');
    await egress?.close();
    await ended;
    socket.destroy();
    await expect.poll(() => accepted.every(({ destroyed }) => destroyed)).toBe(true);
    await expect(stat(socketPath())).rejects.toMatchObject({ code: 'ENOENT' });
    egress = undefined;
  });
});
