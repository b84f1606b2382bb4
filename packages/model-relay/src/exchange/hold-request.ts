import type { SharedKeys } from '../hold/shared-keys.ts';
import type { Exchange } from './exchange.ts';

/**
 * Lets a generating request go at once, or holds it while the provider takes none under its key. Its body is not read meanwhile. Resolves when it may go, or
 * when it was refused or its program has left.
 */
export async function holdRequest(exchange: Exchange, keys: SharedKeys, key: string | undefined): Promise<void> {
  const { relay, kind } = exchange;
  if (kind !== 'generate') return;
  const name = keys.nameKey(relay.origin.origin, key);
  const waitMs = keys.findWait(name);
  if (waitMs === undefined) {
    exchange.pass = keys.openPass(name, false);
    return;
  }
  const leftMs = Math.min(exchange.limits.idleMs, relay.access.findTimeLeft?.() ?? Number.POSITIVE_INFINITY);
  if (waitMs > leftMs || !(await waitInLine(exchange, { keys, name, leftMs })))
    return exchange.refuse('relay_provider_limited', {
      retryAfterSeconds: Math.max(1, Math.ceil((keys.findWait(name) ?? 0) / 1000)),
    });
}

type Line = { keys: SharedKeys; name: string; leftMs: number };

/** False: it cannot wait, or has waited in vain. Also a program that has left has its end here. */
function waitInLine(exchange: Exchange, { keys, name, leftMs }: Line): Promise<boolean> {
  const { relay, outgoing } = exchange;
  return new Promise((resolve) => {
    const waiting = {
      tenant: relay.access.tenant ?? '',
      go() {
        exchange.pass = keys.openPass(name, true);
        end(true);
      },
    };
    if (!keys.join(name, waiting)) return resolve(false);
    const endHold = relay.access.watchHold?.();
    const giveUp = () => end(false);
    const timer = setTimeout(giveUp, leftMs);
    function end(mayGo: boolean): void {
      clearTimeout(timer);
      outgoing.off('close', giveUp);
      relay.holds.delete(giveUp);
      exchange.isHeld = false;
      // An idle time of its own begins.
      if (mayGo) exchange.touch();
      keys.leave(name, waiting);
      endHold?.();
      resolve(mayGo);
    }
    exchange.isHeld = true;
    relay.holds.add(giveUp);
    outgoing.once('close', giveUp);
  });
}
