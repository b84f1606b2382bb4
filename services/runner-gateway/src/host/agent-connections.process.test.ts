import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { idFromUuid } from '@attache/contracts';
import { expect, it, onTestFinished } from 'vitest';
import { createAgentConnections } from './agent-connections.ts';

const agentOf = (digit: string) => idFromUuid('agent', `00000000-0000-4000-8000-00000000000${digit}`);
type Holder = Parameters<ReturnType<typeof createAgentConnections>['admit']>[0];

/** A socket for each holder, as agents have them, behind one count of `maxConnections`. */
async function openWays(maxConnections: number) {
  const lines: unknown[] = [];
  const connections = createAgentConnections({
    maxConnections,
    log: { warn: (line: unknown) => void lines.push(line) },
  });
  const folder = await mkdtemp(join(tmpdir(), 'attache-connections-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  let count = 0;
  const listen = async (holder: Holder) => {
    count += 1;
    const path = join(folder, `${count}.sock`);
    const server = createServer((socket) => {
      connections.admit(holder, socket);
      socket.on('error', () => {}).on('data', (bytes) => void socket.write(bytes));
    });
    server.listen(path);
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    return async (): Promise<Socket> => {
      const socket = connect(path);
      onTestFinished(() => void socket.destroy());
      await once(socket, 'connect');
      return socket;
    };
  };
  return { listen, lines };
}

/** A new connection, if a byte comes back over it. */
async function openAdmitted(open: () => Promise<Socket>): Promise<Socket | undefined> {
  const socket = await open();
  const heard = Promise.race([
    once(
      socket.on('error', () => {}),
      'data',
    ),
    once(socket, 'close'),
  ]);
  socket.write('x');
  const [answer] = (await heard) as [Buffer | boolean];
  return Buffer.isBuffer(answer) && answer.toString() === 'x' ? socket : undefined;
}

/** How many of so many new connections are admitted. */
async function countAdmitted(open: () => Promise<Socket>, count: number): Promise<number> {
  const sockets = await Promise.all(Array.from({ length: count }, () => openAdmitted(open)));
  return sockets.filter((socket) => socket !== undefined).length;
}

/** The first line that a connection gets that is too many. */
const readRefusal = async (open: () => Promise<Socket>) => (await text(await open())).split('\r\n', 1)[0];

const REFUSED = 'HTTP/1.1 429 Too Many Requests';

it('the connections of an agent to all its ways are bounded together, and those of others are not touched [BX-32]', async () => {
  const { listen, lines } = await openWays(4_000);
  const holder = { agentId: agentOf('1'), tenantId: 'one' };
  const [socket, relay] = [await listen(holder), await listen(holder)];
  const other = await listen({ agentId: agentOf('2'), tenantId: 'one' });
  expect(await countAdmitted(socket, 200)).toBe(200);
  expect(await countAdmitted(relay, 100)).toBe(56);
  expect(await readRefusal(socket)).toBe(REFUSED);
  expect(await countAdmitted(other, 10)).toBe(10);
  expect(lines).toEqual([{ agentId: agentOf('1'), full: 'agent' }]);
});

it('a connection that closes makes room [BX-32]', async () => {
  const { listen } = await openWays(4);
  const open = await listen({ agentId: agentOf('1'), tenantId: 'one' });
  const first = await openAdmitted(open);
  expect(await readRefusal(open)).toBe(REFUSED);
  first?.destroy();
  await expect.poll(() => countAdmitted(open, 1), { timeout: 30_000 }).toBe(1);
});

it('agents of one tenant share a quarter of all, and all tenants together what there is [BX-32]', async () => {
  const { listen, lines } = await openWays(8);
  const admitThree = async (digit: string, tenantId: string) =>
    countAdmitted(await listen({ agentId: agentOf(digit), tenantId }), 3);
  expect([await admitThree('1', 'one'), await admitThree('2', 'one')]).toEqual([2, 0]);
  const others = [await admitThree('3', 'two'), await admitThree('4', 'three'), await admitThree('5', 'four')];
  expect(others).toEqual([2, 2, 2]);
  expect(await admitThree('6', 'five')).toBe(0);
  expect(lines).toContainEqual({ agentId: agentOf('2'), full: 'tenant' });
  expect(lines).toContainEqual({ agentId: agentOf('6'), full: 'gateway' });
});
