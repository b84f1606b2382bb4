import { createServer, type RequestListener, request as requestHttp } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createBatchWriter } from './batch-writer.ts';

const MEGABYTE = 2 ** 20;

/** A provider, and a chunked request to it through a batch writer. `isFull` is the last state that the caller was given. */
async function startWriting(answer: RequestListener) {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const request = requestHttp({ port, host: '127.0.0.1', method: 'POST', agent: false });
  request.on('error', () => {}).on('response', (response) => response.resume());
  const state = { isFull: false, room: Promise.withResolvers<void>() };
  const writer = createBatchWriter({
    open: () => request,
    onFull: () => {
      state.isFull = true;
      state.room = Promise.withResolvers();
    },
    onRoom: () => {
      state.isFull = false;
      state.room.resolve();
    },
  });
  return {
    writer,
    state,
    async [Symbol.asyncDispose]() {
      request.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe('a batch writer', () => {
  // 65,000 is below what a socket holds before it asks to wait, as are the pieces in which a server reads a chunked body.
  it.each([1_000, 20_000, 65_000, 65_536, 300_000])('says again that there is room, in chunks of %i', async (size) => {
    const arrived = Promise.withResolvers<number>();
    let arrivedBytes = 0;
    await using writing = await startWriting((request, response) => {
      request.on('data', (bytes: Buffer) => {
        arrivedBytes += bytes.length;
      });
      request.once('end', () => arrived.resolve(response.end() && arrivedBytes));
    });
    const { writer, state } = writing;
    const sentBytes = Math.ceil((60 * MEGABYTE) / size) * size;
    for (let written = 0; written < sentBytes; written += size) {
      if (state.isFull) await state.room.promise;
      // Several come in one turn of the event loop.
      if (written % (3 * size) === 0) await nextTurn();
      writer.write(Buffer.alloc(size));
    }
    writer.end(undefined);
    expect(await arrived.promise).toBe(sentBytes);
  });

  it.each([1_000, 20_000, 65_536])('holds little for a provider that does not read, in chunks of %i', async (size) => {
    await using writing = await startWriting(() => {});
    const { writer, state } = writing;
    let written = 0;
    let quietTurns = 0;
    while (quietTurns < 1_000 && written < 64 * MEGABYTE) {
      await nextTurn();
      quietTurns = state.isFull ? quietTurns + 1 : 0;
      if (state.isFull) continue;
      writer.write(Buffer.alloc(size));
      written += size;
    }
    // Most of it is in the buffers of the system.
    expect(written).toBeLessThan(16 * MEGABYTE);
  });
});
