import type { IncomingMessage, ServerResponse } from 'node:http';
import { writeErrorBody } from '../refuse/error-body.ts';
import { refusals } from '../refuse/refusals.ts';
import type { ModelApi, RefusalCode } from '../relay-types.ts';

export type Answering = { readonly incoming: IncomingMessage; readonly outgoing: ServerResponse };

/** Answers in the place of the API; `outgoing` must not have begun. */
export function sendRefusal(
  { incoming, outgoing }: Answering,
  { api, code, lingerMs }: { api: ModelApi; code: RefusalCode; lingerMs: number },
): void {
  const body = writeErrorBody(api, code);
  outgoing.writeHead(refusals[code].status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...(code === 'relay_websocket_refused' ? { upgrade: 'HTTP/1.1', connection: 'upgrade, close' } : {}),
  });
  outgoing.write(body);
  endWhenRead({ incoming, outgoing }, lingerMs);
}

/**
 * Ends an answer once the rest of the request was read and dropped, or after `lingerMs`: a connection that is closed with bytes unread is
 * reset, and the program would see that in the place of its answer.
 */
export function endWhenRead({ incoming, outgoing }: Answering, lingerMs: number): void {
  incoming.removeAllListeners('data');
  incoming.resume();
  if (incoming.complete) return void outgoing.end();
  const timer = setTimeout(() => outgoing.end(() => incoming.socket.destroy()), lingerMs);
  incoming.once('end', () => outgoing.end());
  outgoing.once('close', () => clearTimeout(timer));
}
