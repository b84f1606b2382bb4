import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createPace } from '@attache/intake';
import { createShares } from '../shares/shares.ts';

export type LingerLimits = {
  /** How many bytes of one refused body are read, how long its sender may take, and how long it may be silent. */
  maxBytes: number;
  maxMs: number;
  maxSilenceMs: number;
  /** How many bytes all bodies that are being read may still bring: those of one tenant, and those of the process. */
  tenantBytes: number;
  processBytes: number;
  /** How fast the bodies of one tenant are read. A faster sender waits: reading it would take the time of other tenants. */
  tenantBytesPerSecond: number;
  /** How many bytes of them are read before anybody waits. */
  tenantAtOnceBytes: number;
};

const MIB = 1024 * 1024;

export const lingerLimits: LingerLimits = {
  maxBytes: 256 * MIB,
  maxMs: 30_000,
  maxSilenceMs: 5_000,
  tenantBytes: 4 * 1024 * MIB,
  processBytes: 16 * 1024 * MIB,
  tenantBytesPerSecond: 16 * MIB,
  tenantAtOnceBytes: 64 * MIB,
};

/** A body counts as this much at least: connections are bounded with the bytes. */
const LEAST_BYTES = 16 * MIB;

/** The body of a refused request. */
export type RefusedBody = Readable & Pick<IncomingMessage, 'headers'>;

/**
 * Reads on and drops. Resolves when the body has ended, its sender is gone or a limit is reached. Undefined, with nothing read, where too
 * much is being read already.
 */
export type Linger = (body: RefusedBody, tenantId: string | undefined) => Promise<void> | undefined;

/**
 * A connection that is closed while bytes of its sender lie unread is reset, and the reset takes the answer with it: many clients write to
 * the end before they read, others learn of the reset first. So the bytes after a refusal are read, within limits, before the connection ends.
 */
export function createLinger(limits: LingerLimits): Linger {
  const expected = createShares({ own: limits.tenantBytes, all: limits.processBytes });
  const pace = createPace({ perSecond: limits.tenantBytesPerSecond, atOnce: limits.tenantAtOnceBytes });
  // Those who say no credential share one tenant's part.
  return (body, tenantId = '') => {
    const declared = Number(body.headers['content-length'] ?? limits.maxBytes);
    const bytes = Math.min(Math.max(declared, LEAST_BYTES), limits.maxBytes);
    const release = expected.take(tenantId, bytes);
    if (typeof release !== 'function') return undefined;
    return dropBody(body, limits, (count) => pace(tenantId, count)).finally(release);
  };
}

function dropBody(
  body: RefusedBody,
  { maxBytes, maxMs, maxSilenceMs }: LingerLimits,
  pace: (bytes: number) => number,
): Promise<void> {
  if (body.readableEnded || body.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    let droppedBytes = 0;
    let waiting: NodeJS.Timeout | undefined;
    const lifetime = startLifetime(maxMs, end);
    let silence = setTimeout(end, maxSilenceMs);
    const goOn = () => {
      lifetime.goOn();
      silence = setTimeout(end, maxSilenceMs);
      body.resume();
    };
    const onData = (chunk: Uint8Array) => {
      droppedBytes += chunk.byteLength;
      if (droppedBytes >= maxBytes) return end();
      silence.refresh();
      const waitMs = pace(chunk.byteLength);
      if (waitMs === 0) return;
      body.pause();
      lifetime.stop();
      clearTimeout(silence);
      waiting = setTimeout(goOn, waitMs);
    };
    function end(): void {
      lifetime.stop();
      clearTimeout(silence);
      clearTimeout(waiting);
      body.off('data', onData).off('end', end).off('close', end);
      resolve();
    }
    // The previous reader has stopped, and must not hold it up.
    body.removeAllListeners('data');
    // The error listener stays: a body that breaks later must not end the process.
    body.on('data', onData).on('end', end).on('close', end).on('error', end);
    body.resume();
  });
}

/** Calls `onOver` after a time, in which the time between a stop and the next `goOn` does not count. */
function startLifetime(maxMs: number, onOver: () => void): { stop(): void; goOn(): void } {
  let leftMs = maxMs;
  let startedAt = 0;
  let timer: NodeJS.Timeout | undefined;
  const goOn = () => {
    startedAt = performance.now();
    timer = setTimeout(onOver, leftMs);
  };
  goOn();
  return {
    stop() {
      clearTimeout(timer);
      leftMs -= performance.now() - startedAt;
    },
    goOn,
  };
}
