import type { IncomingMessage, ServerResponse } from 'node:http';
import { writeErrorBody } from '../refuse/error-body.ts';
import { refusals } from '../refuse/refusals.ts';
import type { ModelApi, RefusalCode } from '../relay-types.ts';

export type Answering = { readonly incoming: IncomingMessage; readonly outgoing: ServerResponse };

/** Answers in the place of the API; `outgoing` must not have begun. What is left of the body is dropped, for `lingerMs` at most. */
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
  outgoing.end(body);
  dropRest(incoming, lingerMs);
}

/** A connection that is closed with bytes unread is reset, and a program then sees a reset where it has an answer. */
export function dropRest(incoming: IncomingMessage, lingerMs: number): void {
  incoming.removeAllListeners('data');
  incoming.resume();
  if (incoming.complete) return;
  const timer = setTimeout(() => incoming.socket.destroy(), lingerMs);
  for (const event of ['end', 'close']) incoming.once(event, () => clearTimeout(timer));
}
