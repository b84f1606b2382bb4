import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { runCommand } from '@attache/test-harness';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { intruderProfile, openIntruder } from '../fixtures/agent-socket.ts';
import { type HostileStack, startHostile } from '../fixtures/hostile-stack.ts';
import { formatHead, openSocket, type RawAnswer, readAnswer } from '../fixtures/raw-http.ts';

/** With the stack's own files, its database and its agents it has few left. */
const DESCRIPTORS = 800;

let stack: HostileStack;
/** The key of another tenant. */
let otherKey: string;
beforeAll(async () => {
  stack = await startHostile({
    profiles: { example: intruderProfile, intruder: intruderProfile },
    // More than the few that are meant here are admitted by rate.
    environment: { ATTACHE_RATE_PER_KEY: '0', ATTACHE_RATE_PER_TENANT: '0' },
    wrapper: ['sh', '-c', `ulimit -n ${DESCRIPTORS}; exec "$0" "$@"`],
  });
  const { stdout } = await runCommand(['tenant', 'create', 'other', '--json'], { ATTACHE_DATA_DIR: stack.dataDir });
  otherKey = JSON.parse(stdout).secret;
});
afterAll(() => stack.stop());

const held: Socket[] = [];
afterEach(() => {
  for (const socket of held.splice(0)) socket.destroy();
});

async function holdMany(count: number, open: () => Socket): Promise<Socket[]> {
  const sockets = Array.from({ length: count }, () => {
    const socket = open();
    // The system itself refuses one while hundreds wait to be accepted.
    socket.on('error', () => {});
    held.push(socket);
    return socket;
  });
  const settled = sockets.map((socket) => Promise.race([once(socket, 'connect'), once(socket, 'close')]));
  await Promise.allSettled(settled);
  return sockets;
}

/** Another tenant makes a session, uploads and gets its bytes inspected, in the process that was there from the beginning. */
async function expectOthersServed(): Promise<void> {
  const created = await stack.api.call<{ session: { id: string } }>('POST', '/sessions', {
    credential: otherKey,
    body: { agents: [] },
  });
  expect(created.status).toBe(201);
  const path = `/sessions/${created.body.session.id}/attachments?name=a.txt`;
  const raw = new TextEncoder().encode(`now ${performance.now()}`);
  const uploaded = await stack.api.call('PUT', path, { credential: otherKey, raw });
  expect(uploaded.status, JSON.stringify(uploaded.body)).toBe(201);
}

async function readOwn(): Promise<unknown[]> {
  const { status, body } = await stack.api.call('GET', `/sessions/${stack.session.id}`);
  return [status, body.code];
}

describe('with few descriptors', () => {
  it('an agent that opens all that it can leaves enough for uploads of others [BX-32]', async () => {
    const { session, agent } = await stack.api.createSession({ profile: 'intruder', model: 'script' });
    const intruder = await openIntruder(stack, { sessionId: session.id, agentId: agent.id });
    const sockets = await holdMany(2 * DESCRIPTORS, () => connect(intruder.socketPath).resume());
    await expect.poll(() => sockets.filter(({ closed }) => closed).length, { timeout: 30_000 }).toBeGreaterThan(1_500);
    await expectOthersServed();
  });

  it('uploads that come a byte at a time leave enough for uploads of others [BX-32]', async () => {
    const path = `/v1/sessions/${stack.session.id}/attachments`;
    const head = formatHead('PUT', path, stack.api.apiKey, ['content-length: 1000000']);
    const answers: (RawAnswer | undefined)[] = [];
    for (const socket of await holdMany(100, () => openSocket(stack.url))) {
      void readAnswer(socket).then((answer) => answers.push(answer));
      socket.write(`${head}x`);
    }
    // One credential has an eighth of what all may have under way.
    await expect.poll(() => answers.length, { timeout: 30_000 }).toBe(85);
    for (const answer of answers)
      expect([answer?.status, JSON.parse(answer?.body ?? '').code]).toEqual([429, 'RATE_LIMITED']);
    await expectOthersServed();
  });

  it('requests that are given up at once are forgotten, and their sender is served [BX-32]', async () => {
    const head = formatHead('GET', `/v1/sessions/${stack.session.id}`, stack.api.apiKey);
    for (let begun = 0; begun < 600; begun += 20) {
      const sockets = await holdMany(20, () => openSocket(stack.url));
      await Promise.all(sockets.map((socket) => new Promise<void>((resolve) => socket.write(head, () => resolve()))));
      for (const socket of sockets) socket.resetAndDestroy();
    }
    await expect.poll(readOwn, { timeout: 30_000 }).toEqual([200, undefined]);
  });

  it('connections that nobody uses make room for those of others [BX-32]', async () => {
    await holdMany(2 * DESCRIPTORS, () => openSocket(stack.url));
    await expectOthersServed();
    await stack.expectAlive();
  });

  it('streams and requests of one credential leave enough for others [BX-32]', async () => {
    const head = formatHead('GET', `/v1/sessions/${stack.session.id}/events`, stack.api.apiKey, [
      'accept: text/event-stream',
    ]);
    // One that is not used yet may have to make room, so each is used before the next ones come.
    for (let begun = 0; begun < 400; begun += 40) {
      const sockets = await holdMany(40, () => openSocket(stack.url));
      for (const socket of sockets) socket.write(head);
      await Promise.all(sockets.map((socket) => Promise.race([once(socket, 'data'), once(socket, 'close')])));
      for (const socket of sockets) socket.resume();
    }
    await expect.poll(readOwn, { timeout: 30_000 }).toEqual([429, 'RATE_LIMITED']);
    await expectOthersServed();
  });
});
