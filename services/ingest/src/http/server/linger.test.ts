import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createLinger, type LingerLimits, type RefusedBody } from './linger.ts';

const MIB = 1024 * 1024;
const HOUR_MS = 3_600_000;
const wide: LingerLimits = {
  ...{ maxBytes: 32 * MIB, maxMs: HOUR_MS, maxSilenceMs: HOUR_MS, tenantBytes: 64 * MIB, processBytes: 128 * MIB },
  ...{ tenantBytesPerSecond: 1_024 * MIB, tenantAtOnceBytes: 0 },
};

type Body = RefusedBody & PassThrough;

const makeBody = (headers: Record<string, string> = {}): Body => Object.assign(new PassThrough(), { headers });

/** Writes a piece every millisecond, for ever. */
function trickle(body: Body): void {
  const timer = setInterval(() => body.write('x'), 1);
  body.on('close', () => clearInterval(timer));
}

describe('what follows a refusal', () => {
  it('is read to its end, whatever read it before', async () => {
    const body = makeBody();
    body.on('data', () => body.pause());
    body.write('begun');
    const dropped = createLinger(wide)(body, 'a');
    body.end(Buffer.alloc(MIB));
    await dropped;
    expect(body.readableEnded).toBe(true);
  });

  it('is read until its sender goes away', async () => {
    const body = makeBody({ 'content-length': '100' });
    const dropped = createLinger(wide)(body, 'a');
    body.destroy(new Error('reset'));
    await expect(dropped).resolves.toBeUndefined();
  });

  it('is read no further than so many bytes [S14]', async () => {
    const body = makeBody();
    let writtenBytes = 0;
    const dropped = createLinger({ ...wide, maxBytes: MIB })(body, 'a');
    const write = () => {
      if (body.writableEnded) return;
      writtenBytes += 64 * 1024;
      body.write(Buffer.alloc(64 * 1024), () => setImmediate(write));
    };
    write();
    await dropped;
    body.end();
    expect(writtenBytes).toBeGreaterThanOrEqual(MIB);
  });

  it('is read no longer than its time, however the body trickles, and not at all where nothing comes [S15]', async () => {
    const slow = makeBody();
    trickle(slow);
    await createLinger({ ...wide, maxMs: 20 })(slow, 'a');
    slow.destroy();
    await createLinger({ ...wide, maxSilenceMs: 20 })(makeBody(), 'a');
    expect(slow.readableEnded).toBe(false);
  });
});

describe('bodies that are read at the same time', () => {
  it('are as many as a tenant and the process have room for, and leave their room behind them', async () => {
    const linger = createLinger(wide);
    const begin = (tenant: string | undefined) => {
      const body = makeBody();
      return { body, dropped: linger(body, tenant) };
    };
    const first = [begin('a'), begin('a'), begin('b'), begin(undefined)];
    expect(first.map(({ dropped }) => dropped !== undefined)).toEqual([true, true, true, true]);
    // `a` has no room left, and now the process has none.
    expect([begin('a').dropped, begin('c').dropped]).toEqual([undefined, undefined]);
    first[0]?.body.end();
    await first[0]?.dropped;
    expect(begin('c').dropped).toBeDefined();
    expect(begin('a').dropped).toBeUndefined();
  });

  it('are read as fast as one tenant may, all of its together, and those of others beside them [BX-27]', async () => {
    const linger = createLinger({ ...wide, tenantBytesPerSecond: MIB });
    const begin = (tenant: string, sizeBytes: number) => {
      const body = makeBody();
      const dropped = linger(body, tenant);
      body.end(Buffer.alloc(sizeBytes));
      return { body, dropped };
    };
    const first = begin('a', 100 * 1024);
    const second = begin('a', 1024);
    const other = begin('b', 1024);
    await other.dropped;
    expect(other.body.readableEnded).toBe(true);
    expect([first.body.isPaused(), second.body.isPaused()]).toEqual([true, true]);
    await Promise.all([first.dropped, second.dropped]);
    expect([first.body.readableEnded, second.body.readableEnded]).toEqual([true, true]);
  });

  it('have the time in which they wait for their turn beside what a sender may take [BX-27]', async () => {
    const linger = createLinger({ ...wide, tenantBytesPerSecond: MIB, maxMs: 100, maxSilenceMs: 100 });
    const body = makeBody();
    const dropped = linger(body, 'a');
    for (let piece = 0; piece < 8; piece += 1) body.write(Buffer.alloc(50 * 1024));
    body.end();
    await dropped;
    expect(body.readableEnded).toBe(true);
  });

  it('count as what they say to bring, and small ones as 16 MiB', () => {
    const linger = createLinger(wide);
    const taken = Array.from({ length: 6 }, () => linger(makeBody({ 'content-length': '3' }), 'a'));
    expect(taken.map((dropped) => dropped !== undefined)).toEqual([true, true, true, true, false, false]);
    expect(linger(makeBody({ 'content-length': String(40 * MIB) }), 'b')).toBeDefined();
  });
});
