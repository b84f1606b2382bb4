import { describe, expect, it, vi } from 'vitest';
import { ask, askForResponse, startRelayed } from './__fixtures__/relayed.ts';

const inTime = { timeout: 60_000 };

describe('a provider that', () => {
  it('hangs gets the program a 504, before a connection and behind one', async () => {
    await using relayed = await startRelayed({ idleMs: 300, connectMs: 300, maxSockets: 1 });
    relayed.provider.behave(() => {});
    const opened = relayed.open();
    // The second waits for the only connection.
    const answers = await Promise.all([ask(opened), ask(opened)]);
    expect(answers.map(({ status }) => status)).toEqual([504, 504]);
    expect(JSON.parse(answers[0]?.text ?? '')).toMatchObject({ type: 'error', error: { type: 'timeout_error' } });
    expect(relayed.records.map(({ refused }) => refused)).toEqual(['relay_provider_timeout', 'relay_provider_timeout']);
    await vi.waitFor(() => expect(relayed.provider.countConnections()).toBe(0), inTime);
  });

  it('hangs amid its answer breaks the connection to the program', async () => {
    await using relayed = await startRelayed({ idleMs: 1_500 });
    relayed.provider.behave((_, response) => void response.writeHead(200).write('begun'));
    await expect(ask(relayed.open())).rejects.toThrow('aborted');
    const record = { status: 200, isWhole: false, refused: 'relay_provider_timeout' };
    await vi.waitFor(() => expect(relayed.records).toMatchObject([record]), inTime);
  });

  it('is not there, or resets the connection, gets a 502', async () => {
    await using relayed = await startRelayed();
    expect((await ask(relayed.open({ endpoint: { baseUrl: 'http://127.0.0.1:1' } }))).status).toBe(502);
    relayed.provider.behave((request) => request.socket.resetAndDestroy());
    expect((await ask(relayed.open())).status).toBe(502);
  });

  it('resets amid an event breaks the connection to the program', async () => {
    await using relayed = await startRelayed();
    relayed.provider.behave((request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"half"', () => request.socket.resetAndDestroy());
    });
    await expect(ask(relayed.open())).rejects.toThrow('aborted');
  });

  it.each([
    ['a head of 100 kB', `HTTP/1.1 200 OK\r\nX-Large: ${'x'.repeat(100_000)}\r\nContent-Length: 0\r\n\r\n`],
    [
      'both lengths',
      'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
    ],
    ['no HTTP', 'SSH-2.0-server\r\n\r\n'],
    ['an upgrade that nobody asked for', 'HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'],
  ])('answers with %s gets a 502', async (_, bytes) => {
    await using relayed = await startRelayed();
    relayed.provider.behave((request) => void request.socket.end(bytes));
    expect((await ask(relayed.open())).status).toBe(502);
  });

  it('promises more bytes than come breaks the connection to the program', async () => {
    await using relayed = await startRelayed();
    relayed.provider.behave((request) => void request.socket.end('HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nshort'));
    await expect(ask(relayed.open())).rejects.toThrow('aborted');
  });

  it('sends more bytes than it promised: the program gets what was promised, and nobody the rest', async () => {
    await using relayed = await startRelayed();
    const rest = 'HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison';
    relayed.provider.behave(
      (request) => void request.socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nright${rest}`),
    );
    expect((await ask(relayed.open())).text).toBe('right');
    relayed.provider.behave(undefined);
    expect((await ask(relayed.open())).text).toBe('{"answered":true}');
  });

  it('redirects: the program is told so, and the relay goes nowhere', async () => {
    await using relayed = await startRelayed();
    relayed.provider.behave((_, response) => response.writeHead(307, { location: 'http://127.0.0.1:1/other' }).end());
    expect(await ask(relayed.open())).toMatchObject({ status: 307, headers: { location: 'http://127.0.0.1:1/other' } });
    expect(relayed.provider.countBegun()).toBe(1);
  });

  it('refuses is passed on as it is', async () => {
    await using relayed = await startRelayed();
    relayed.provider.behave((_, response) =>
      response.writeHead(529, 'Overloaded', { 'retry-after': '7', 'request-id': 'r' }).end('{"type":"error"}'),
    );
    const headers = { 'retry-after': '7', 'request-id': 'r' };
    expect(await ask(relayed.open())).toMatchObject({ status: 529, headers, text: '{"type":"error"}' });
  });
});

describe('an answer', () => {
  it('of events comes in the pieces in which it was sent, its head before the first', async () => {
    await using relayed = await startRelayed();
    const steps: (() => void)[] = [];
    relayed.provider.behave((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      for (const event of ['data: 1\n\n', 'data: ', '2\n\n']) steps.push(() => response.write(event));
      steps.push(() => response.end());
    });
    const response = await askForResponse(relayed.open());
    expect(response.headers['content-type']).toBe('text/event-stream');
    const pieces: string[] = [];
    response.on('data', (piece) => pieces.push(String(piece)));
    for (const [index, step] of steps.entries()) {
      step();
      await vi.waitFor(
        () => expect(index < 3 ? pieces.length : response.complete).toBe(index < 3 ? index + 1 : true),
        inTime,
      );
    }
    expect(pieces).toEqual(['data: 1\n\n', 'data: ', '2\n\n']);
  });

  it('that the program no longer waits for ends the request to the provider', async () => {
    await using relayed = await startRelayed();
    relayed.provider.behave((_, response) => void response.writeHead(200).write('begun'));
    const response = await askForResponse(relayed.open());
    response.destroy();
    await vi.waitFor(() => expect(relayed.provider.countConnections()).toBe(0), inTime);
    await vi.waitFor(() => expect(relayed.records).toMatchObject([{ isWhole: false, refused: undefined }]), inTime);
  });

  it('leaves its connection to the next request, whichever agent makes it', async () => {
    await using relayed = await startRelayed();
    const agents = [relayed.open(), relayed.open()];
    for (const agent of [...agents, ...agents]) expect((await ask(agent)).status).toBe(200);
    expect(relayed.provider.countConnections()).toBe(1);
  });

  it('is its own agent’s where many ask at once', async () => {
    await using relayed = await startRelayed();
    relayed.provider.behave((request, response) => void request.pipe(response));
    const agents = Array.from({ length: 20 }, (_, index) => ({ index, opened: relayed.open() }));
    const answers = agents.map(({ index, opened }) => ask(opened, { body: `{"model":"m","max_tokens":${index}}` }));
    expect((await Promise.all(answers)).map(({ text }) => JSON.parse(text).max_tokens)).toEqual(
      agents.map(({ index }) => index),
    );
  });
});
