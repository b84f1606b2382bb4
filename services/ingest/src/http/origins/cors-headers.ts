import type { ServerResponse } from 'node:http';

/** For how many seconds a browser may keep the answer to a preflight. Each request is judged again by its credential. */
const PREFLIGHT_SECONDS = 600;

const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE';

const requestHeaders = [
  ...['Authorization', 'Content-Type', 'Idempotency-Key', 'Repr-Digest', 'Last-Event-ID'],
  ...['traceparent', 'tracestate', 'Range', 'If-Range', 'If-None-Match', 'Accept', 'Accept-Language'],
].join(', ');

const exposedHeaders = [
  ...['Location', 'Idempotency-Replayed', 'ETag', 'Accept-Ranges', 'Content-Range', 'Content-Length'],
  ...['Content-Disposition', 'Retry-After', 'WWW-Authenticate', 'traceresponse'],
].join(', ');

/** The answer to a preflight whose origin is allowed. */
export function allowPreflight(origin: string): Response {
  return new Response(null, {
    status: 204,
    headers: {
      'access-control-allow-origin': origin,
      'access-control-allow-methods': methods,
      'access-control-allow-headers': requestHeaders,
      'access-control-max-age': String(PREFLIGHT_SECONDS),
    },
  });
}

/** Lets a page read the answer, an error too. On Node's own response: every answer of this request gets it, whoever composes that. */
export function letRead(outgoing: ServerResponse, origin: string): void {
  outgoing.setHeader('access-control-allow-origin', origin);
  outgoing.setHeader('access-control-expose-headers', exposedHeaders);
}
