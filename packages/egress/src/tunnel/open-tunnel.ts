import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { EgressLimits, EgressOptions } from '../egress-types.ts';
import { connectFirst } from './connect-first.ts';
import { nameTarget, readTarget } from './read-target.ts';
import { refuseTunnel, type TunnelRefusal } from './refuse-tunnel.ts';
import { resolveChecked } from './resolve-checked.ts';

export type Tunnelling = Required<Pick<EgressOptions, 'resolveName' | 'judge'>> & {
  readonly limits: EgressLimits;
  /** Targets by their names. */
  readonly allowed: ReadonlySet<string>;
  /** Has it ended with its agent. */
  keep(socket: Socket): void;
  /** `target`: undefined where it was none. */
  noteRefusal(refused: TunnelRefusal, target: string | undefined): void;
};

/** Meets one CONNECT: connects to an address of the name that was checked, and passes bytes; or says why not. */
export async function openTunnel(
  tunnelling: Tunnelling,
  { url = '' }: IncomingMessage,
  near: Socket,
  head: Buffer,
): Promise<void> {
  near.on('error', () => near.destroy());
  const target = readTarget(url);
  const name = target && nameTarget(target);
  const reached =
    target === undefined || name === undefined
      ? 'not-a-name'
      : !tunnelling.allowed.has(name)
        ? 'not-allowed'
        : await reach(tunnelling, target, near);
  if (typeof reached === 'string') {
    tunnelling.noteRefusal(reached, name);
    return refuseTunnel(near, reached);
  }
  if (near.destroyed) return void reached.destroy();
  tunnelling.keep(reached);
  near.write('HTTP/1.1 200 Connection Established\r\n\r\n');
  if (head.length > 0) reached.write(head);
  joinSockets(near, reached, tunnelling.limits.idleMs);
}

async function reach(
  tunnelling: Tunnelling,
  { host, port }: { host: string; port: number },
  near: Socket,
): Promise<Socket | TunnelRefusal> {
  const { resolveMs, connectMs } = tunnelling.limits;
  const resolved = await resolveChecked(host, tunnelling, resolveMs);
  if (resolved.status !== 'resolved') return resolved.status === 'refused' ? 'address-refused' : 'unknown-name';
  const isWanted = () => !near.destroyed;
  return (await connectFirst(resolved.addresses, port, { timeoutMs: connectMs, isWanted })) ?? 'unreachable';
}

/** Passes bytes both ways, each at the other's pace, until both sides have ended, one breaks, or nothing moves for `idleMs`. */
function joinSockets(near: Socket, far: Socket, idleMs: number): void {
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
    // Its last bytes may still be on their way to the other side.
    side.once('close', () => (side.readableEnded ? other.destroySoon() : other.destroy()));
    side.pipe(other);
  }
}
