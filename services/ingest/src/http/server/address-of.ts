import type { HttpBindings } from '@hono/node-server';
import { clientAddress } from '../../caller/client-address.ts';

/** The parts of a request that are known before anything else of it. */
export type ReceivedRequest = {
  req: { method: string; header(name: string): string | undefined };
  env: Pick<HttpBindings, 'incoming' | 'outgoing'>;
};

/** Whom this request's failed attempts are counted against. */
export function addressOf({ trustedProxies = 0 }: { trustedProxies?: number | undefined }, c: ReceivedRequest): string {
  return clientAddress({
    socketAddress: c.env.incoming.socket.remoteAddress,
    forwardedFor: c.req.header('x-forwarded-for'),
    trustedProxies,
  });
}
