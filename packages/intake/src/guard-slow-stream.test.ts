import { describe, expect, it } from 'vitest';
import { guardSlowStream } from './guard-slow-stream.ts';

/** A sender and a clock in the hands of the test. */
function createSlowSender() {
  let send: (chunk: Uint8Array | undefined) => void = () => {};
  let onTick: (() => void) | undefined;
  let periodMs = 0;
  async function* source() {
    while (true) {
      const chunk = await new Promise<Uint8Array | undefined>((resolve) => {
        send = resolve;
      });
      if (chunk === undefined) return;
      yield chunk;
    }
  }
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return {
    source: source(),
    startTicker: (tick: () => void, period: number) => {
      onTick = tick;
      periodMs = period;
      return () => {
        onTick = undefined;
      };
    },
    isTicking: () => onTick !== undefined,
    send: async (bytes: number) => {
      send(new Uint8Array(bytes));
      await settle();
    },
    end: async () => {
      send(undefined);
      await settle();
    },
    pass: (seconds: number) => {
      for (let ticks = (seconds * 1000) / periodMs; ticks > 0; ticks -= 1) onTick?.();
    },
    settle,
  };
}

function readInBackground(stream: AsyncIterable<Uint8Array>) {
  const reading = { bytes: 0, isDone: false, error: undefined as unknown };
  (async () => {
    for await (const chunk of stream) reading.bytes += chunk.length;
  })().then(
    () => {
      reading.isDone = true;
    },
    (error: unknown) => {
      reading.error = error;
    },
  );
  return reading;
}

async function startReading() {
  const sender = createSlowSender();
  const reading = readInBackground(guardSlowStream(sender.source, { startTicker: sender.startTicker }));
  await sender.settle();
  return { sender, reading };
}

describe('guard against slow senders', () => {
  it('ends an upload that sends no byte for 30 s [S15]', async () => {
    const { sender, reading } = await startReading();
    await sender.send(100_000);
    sender.pass(29);
    await sender.settle();
    expect(reading.error).toBeUndefined();
    sender.pass(31);
    await sender.settle();
    expect(reading).toMatchObject({
      bytes: 100_000,
      error: { code: 'UPLOAD_TIMEOUT', message: expect.stringContaining('no byte came for 30 s') },
    });
    expect(sender.isTicking()).toBe(false);
  });

  it('ends an upload of one byte per second after 30 s [S15]', async () => {
    const { sender, reading } = await startReading();
    for (let second = 0; second < 30; second += 1) {
      expect(reading.error).toBeUndefined();
      await sender.send(1);
      sender.pass(1);
    }
    await sender.settle();
    expect(reading).toMatchObject({ bytes: 30, error: { code: 'UPLOAD_TIMEOUT' } });
  });

  it('judges the last 30 s, not the whole upload [S15]', async () => {
    const { sender, reading } = await startReading();
    await sender.send(50_000_000);
    for (let second = 0; second < 29; second += 1) {
      sender.pass(1);
      await sender.send(1);
    }
    expect(reading.error).toBeUndefined();
    sender.pass(2);
    await sender.settle();
    expect(reading.error).toMatchObject({ code: 'UPLOAD_TIMEOUT', message: expect.stringContaining('1024 bytes') });
  });

  it('lets a slow but steady sender finish, and then keeps no timer', async () => {
    const { sender, reading } = await startReading();
    for (let round = 0; round < 40; round += 1) {
      await sender.send(5 * 1024);
      sender.pass(5);
    }
    await sender.end();
    expect(reading).toEqual({ bytes: 40 * 5 * 1024, isDone: true, error: undefined });
    expect(sender.isTicking()).toBe(false);
  });

  it('does not hold a slow reader against the sender, and keeps no timer for one that never comes back', async () => {
    const sender = createSlowSender();
    const stream = guardSlowStream(sender.source, { startTicker: sender.startTicker });
    const first = stream.next();
    await sender.settle();
    await sender.send(1);
    expect((await first).value).toHaveLength(1);
    sender.pass(100);
    expect(sender.isTicking()).toBe(false);
    const second = stream.next();
    await sender.settle();
    expect(sender.isTicking()).toBe(true);
    await sender.send(2);
    expect((await second).value).toHaveLength(2);
    await stream.return(undefined);
    expect(sender.isTicking()).toBe(false);
  });

  it('rethrows what the source throws, and uses real time by default', async () => {
    const error = new Error('gone');
    async function* broken() {
      yield new Uint8Array(1);
      throw error;
    }
    const reading = readInBackground(guardSlowStream(broken()));
    await new Promise((resolve) => setImmediate(resolve));
    expect(reading).toMatchObject({ bytes: 1, error });
  });
});
