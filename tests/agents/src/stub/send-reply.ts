import type { ServerResponse } from 'node:http';
import type { Dialect, ModelFailure, ServerEvent } from './dialects/dialect.ts';

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

export function sendFailure(response: ServerResponse, dialect: Dialect, failure: ModelFailure): void {
  const { status, retryAfterSeconds } = failure;
  if (retryAfterSeconds !== undefined) response.setHeader('retry-after', String(retryAfterSeconds));
  sendJson(response, status, dialect.composeFailure(failure));
}

export function sendEvents(response: ServerResponse, events: readonly ServerEvent[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  for (const { event, data } of events) {
    const name = event === undefined ? '' : `event: ${event}\n`;
    response.write(`${name}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
  }
  response.end();
}
