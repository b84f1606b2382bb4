import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { bridgeCalls } from './bridge-calls.ts';

const closings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closings.splice(0)) await close();
});

type Answer = (call: { id?: number; method: string }, request: IncomingMessage, response: ServerResponse) => void;

async function openGateway(answer: Answer): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'attache-bridge-'));
  const socketPath = join(folder, 'socket');
  const server = createServer(async (request, response) => {
    answer(JSON.parse(await text(request)), request, response);
  });
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  closings.push(async () => {
    server.close();
    server.closeAllConnections();
    await rm(folder, { recursive: true });
  });
  return socketPath;
}

const call = (id: number, params = {}) => JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params });

async function bridge(socketPath: string | undefined, lines: string[]): Promise<Record<string, unknown>[]> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const said = text(output);
  const access = socketPath === undefined ? undefined : { socketPath, token: 'ata_x' };
  const done = bridgeCalls({ input, output, access });
  input.end(`${lines.join('\n')}\n`);
  await done;
  output.end();
  const answers = (await said).trim().split('\n').filter(Boolean);
  return answers.map((line) => JSON.parse(line));
}

const succeed: Answer = ({ id }, _, response) => {
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result: {} }, null, 2));
};

describe('the bridge', () => {
  it('answers each call in one line, and nothing to a notification or an answer', async () => {
    const socketPath = await openGateway(succeed);
    const notification = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });
    const answer = JSON.stringify({ jsonrpc: '2.0', id: 5, result: {} });
    expect(await bridge(socketPath, [call(1), notification, answer, '', call(2)])).toEqual(
      expect.arrayContaining([1, 2].map((id) => ({ jsonrpc: '2.0', id, result: {} }))),
    );
  });

  it('calls with its token and with the trace context of the call', async () => {
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const seen: unknown[] = [];
    const socketPath = await openGateway((message, request, response) => {
      seen.push([request.method, request.url, request.headers.authorization, request.headers.traceparent]);
      succeed(message, request, response);
    });
    await bridge(socketPath, [call(1, { _meta: { traceparent } })]);
    await bridge(socketPath, [call(2, { _meta: { traceparent: 'a\r\nx: y' } })]);
    expect(seen).toEqual([
      ['POST', '/agent/mcp', 'Bearer ata_x', traceparent],
      ['POST', '/agent/mcp', 'Bearer ata_x', undefined],
    ]);
  });

  it('has at most 8 calls in work', async () => {
    let [running, most] = [0, 0];
    const socketPath = await openGateway((message, request, response) => {
      running += 1;
      most = Math.max(most, running);
      setImmediate(() => {
        running -= 1;
        succeed(message, request, response);
      });
    });
    const ids = Array.from({ length: 100 }, (_, index) => index);
    const answers = await bridge(
      socketPath,
      ids.map((id) => call(id)),
    );
    expect(answers.map(({ id }) => id).toSorted((a, b) => Number(a) - Number(b))).toEqual(ids);
    expect(most).toBeLessThanOrEqual(8);
  });

  it.each([
    ['no JSON', '{"jsonrpc":'],
    ['a batch', '[]'],
    ['no message', '{"id":1}'],
    ['too long', `"${'x'.repeat(8 * 1024 * 1024)}"`],
  ])('says of a line that is %s what is wrong, and continues', async (_, line) => {
    const socketPath = await openGateway(succeed);
    const answers = await bridge(socketPath, [line, call(1)]);
    expect(answers).toContainEqual({ jsonrpc: '2.0', id: null, error: { code: -32700, message: expect.any(String) } });
    expect(answers).toContainEqual({ jsonrpc: '2.0', id: 1, result: {} });
  });

  it('says what to do where the gateway is away, refuses, or did not start it [AT-41]', async () => {
    const error = (message: RegExp) => [{ id: 1, error: { code: -32000, message: expect.stringMatching(message) } }];
    expect(await bridge('/nowhere/socket', [call(1)])).toMatchObject(error(/does not answer\. Try again/));
    expect(await bridge(undefined, [call(1)])).toMatchObject(error(/was not started by an agent/));
    const refusing = await openGateway((_call, _request, response) => {
      response.writeHead(429).end(JSON.stringify({ detail: 'Too many calls at once.' }));
    });
    expect(await bridge(refusing, [call(1)])).toMatchObject(error(/^Too many calls at once\.$/));
    const broken = await openGateway((_call, request) => void request.socket.destroy());
    expect(await bridge(broken, [call(1)])).toMatchObject(error(/does not answer/));
  });
});
