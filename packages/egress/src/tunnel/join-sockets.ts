import type { Socket } from 'node:net';

/** Passes bytes both ways, each at the other's pace, until both sides have ended, one breaks, or nothing moves for `idleMs`. */
export function joinSockets(near: Socket, far: Socket, idleMs: number): void {
  const end = () => {
    near.destroy();
    far.destroy();
  };
  for (const [side, other] of [
    [near, far],
    [far, near],
  ] as const) {
    side.setTimeout(idleMs, end);
    side.on('error', end);
    // What it sent last may still be on its way to the other one.
    side.once('close', () => (side.readableEnded ? other.destroySoon() : other.destroy()));
    side.pipe(other);
  }
}
