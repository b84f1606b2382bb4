import { createInterface } from 'node:readline';
import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createFrame } from '../frames/create-frame.ts';
import type { AgentRequests } from './exchange.ts';
import { createJsonRpcConnection } from './json-rpc-connection.ts';

const quiet: AgentRequests = {
  onRequest: () => undefined,
  onNotification: async () => undefined,
  onAnswer: async () => undefined,
};

function connect(handlers: Partial<AgentRequests> = {}, stdin: Writable & AsyncIterable<Buffer> = new PassThrough()) {
  const stdout = new PassThrough();
  const connection = createJsonRpcConnection({
    stdin,
    stdout,
    incomingLineBytes: 1000,
    stallMs: 50,
    envelope: { jsonrpc: '2.0' },
    handlers: { ...quiet, ...handlers },
  });
  const say = (message: object) => stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const heard = async () => JSON.parse(String((await stdin[Symbol.asyncIterator]().next()).value));
  const ask = (id: string) =>
    connection.request(
      id,
      createFrame(() => ({ id, method: 'm' })),
    );
  return { connection, stdin, stdout, say, heard, ask };
}

describe('createJsonRpcConnection', () => {
  it('passes an answer on after all that came before it was handled', async () => {
    const handled: string[] = [];
    const { ask, say } = connect({
      onNotification: async (method) => {
        await new Promise(setImmediate);
        handled.push(method);
      },
    });
    const { answer } = ask('1');
    for (const method of ['a', 'b']) say({ method });
    say({ id: '1', result: {} });
    expect(await answer).toEqual({ status: 'result', result: {} });
    expect(handled).toEqual(['a', 'b']);
  });

  it('answers what it does not offer with method-not-found', async () => {
    const { say, heard } = connect();
    say({ id: 7, method: 'fs/read_text_file', params: { path: '/etc/passwd' } });
    expect(await heard()).toMatchObject({ id: 7, error: { code: -32601 } });
  });

  it('answers with an internal error that says nothing where a handler throws', async () => {
    const { say, heard } = connect({ onRequest: () => Promise.reject(new Error('password=1')) });
    say({ id: 7, method: 'session/request_permission' });
    expect(await heard()).toEqual({ jsonrpc: '2.0', id: 7, error: { code: -32603, message: 'Internal error' } });
  });

  it('asks the same twice under ids of their own, so that both are answered', async () => {
    const { connection, stdin, say } = connect();
    const both = [connection.ask('turn/interrupt', {}), connection.ask('turn/interrupt', {})];
    const lines = createInterface({ input: stdin as PassThrough })[Symbol.asyncIterator]();
    for (let count = 0; count < 2; count += 1)
      say({ id: JSON.parse(String((await lines.next()).value)).id, result: {} });
    expect(await Promise.all(both)).toMatchObject([{ status: 'result' }, { status: 'result' }]);
  });

  it('takes an error without an id as the answer to what is open', async () => {
    const { ask, say } = connect();
    const { answer } = ask('1');
    say({ id: null, error: { code: -32700, message: 'Parse error' } });
    expect(await answer).toEqual({ status: 'error', code: -32700, message: 'Parse error' });
  });

  it('bears a few stray lines and ends on many', async () => {
    const { connection, stdout, ask, say } = connect();
    stdout.write('Loaded settings\n\n');
    const { answer } = ask('1');
    say({ id: '1', result: null });
    expect((await answer).status).toBe('result');
    for (let line = 0; line < 20; line += 1) stdout.write('garbage\n');
    expect(await connection.closed).toMatchObject({ reason: 'protocol-error' });
    expect((await ask('2').answer).status).toBe('closed');
  });

  it('ends on a line above the limit', async () => {
    const { connection, stdout, ask } = connect();
    const { answer } = ask('1');
    stdout.write('x'.repeat(1001));
    expect(await answer).toMatchObject({ status: 'closed', end: { reason: 'protocol-error' } });
    expect((await connection.closed).reason).toBe('protocol-error');
  });

  it('ends with the fault that a hook threw', async () => {
    const fault = new Error('no longer the owner');
    const { connection, say } = connect({ onNotification: () => Promise.reject(fault) });
    say({ method: 'session/update' });
    expect(await connection.closed).toEqual({ reason: 'fault', error: fault });
  });

  it('reads on only while few requests are in work [W18]', async () => {
    let asked = 0;
    const waiting: (() => void)[] = [];
    const onRequest = () => {
      asked += 1;
      return new Promise<void>((resolve) => void waiting.push(resolve));
    };
    const { say, stdin } = connect({ onRequest });
    for (let id = 1; id <= 100; id += 1) say({ id, method: 'session/request_permission' });
    await new Promise(setImmediate);
    expect(asked).toBe(32);
    waiting.shift()?.();
    await expect.poll(() => asked).toBe(33);
    const answers = createInterface({ input: stdin as PassThrough })[Symbol.asyncIterator]();
    for (let answered = 0; answered < 100; answered += 1) {
      for (const answer of waiting.splice(0)) answer();
      await answers.next();
    }
    expect(asked).toBe(100);
  });

  it('ends where its answers are not read [W18]', async () => {
    const deaf = new Writable({ write: () => undefined }) as Writable & AsyncIterable<Buffer>;
    const { connection, say } = connect({}, deaf);
    say({ id: 7, method: 'm' });
    expect(await connection.closed).toEqual({ reason: 'stalled' });
  });

  it('ends when told that the agent is gone though its pipe is open', async () => {
    const { connection } = connect();
    await connection.closeWhenDrained();
    expect(await connection.closed).toEqual({ reason: 'ended' });
  });
});
