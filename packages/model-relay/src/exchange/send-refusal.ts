import type { IncomingMessage, ServerResponse } from 'node:http';
import { writeErrorBody } from '../refuse/error-body.ts';
import { refusals } from '../refuse/refusals.ts';
import type { ModelApi, RefusalCode } from '../relay-types.ts';

export type Answering = { readonly incoming: IncomingMessage; readonly outgoing: ServerResponse };

export type SentRefusal = {
  readonly api: ModelApi;
  readonly code: RefusalCode;
  readonly field?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly lingerMs: number;
};

/** Responds in place of the API; `outgoing` must not have begun. */
export function sendRefusal(
  { incoming, outgoing }: Answering,
  { api, code, field, retryAfterSeconds, lingerMs }: SentRefusal,
): void {
  const body = writeErrorBody(api, code, field);
  outgoing.writeHead(refusals[code].status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
    // The libraries of Anthropic and OpenAI would ask again before the day is over.
    ...(code === 'relay_tenant_quota' ? { 'x-should-retry': 'false' } : {}),
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
