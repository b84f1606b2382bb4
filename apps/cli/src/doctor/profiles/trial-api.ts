import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RelayedRequest } from '@attache/model-relay';

/** The fate of the first request of a turn at the relay. */
export type RequestTrial =
  | { status: 'passed' }
  /** `field`: the part of it that the relay does not pass on. */
  | { status: 'refused'; code: string; field?: string | undefined }
  /** It asked for nothing in time. */
  | { status: 'not-asked' };

const FIRST_REQUEST_MS = 30_000;
const REFUSAL = { type: 'invalid_request_error', code: 400, status: 'INVALID_ARGUMENT', message: 'This is a trial.' };

/** A model API on loopback that refuses everything, in words that all of them have: a program on trial then ends its turn, and nobody else was asked. */
export async function startTrialApi() {
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ type: 'error', error: REFUSAL }));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    /** The address of an API in its place, below the same path. */
    standInFor: (baseUrl: string) => `http://127.0.0.1:${port}${new URL(baseUrl).pathname}`,
    stop(): void {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Waits for the first request of a turn. */
export function watchFirstRequest() {
  const first = Promise.withResolvers<RequestTrial>();
  let isInTurn = false;
  return {
    isInTurn: () => isInTurn,
    watchRequest:
      () =>
      ({ kind, refused, refusedField: field }: RelayedRequest): void => {
        if (isInTurn && kind !== 'models' && kind !== 'count-tokens')
          first.resolve(refused === undefined ? { status: 'passed' } : { status: 'refused', code: refused, field });
      },
    /** Begins the turn. */
    async await(): Promise<RequestTrial> {
      isInTurn = true;
      const timer = setTimeout(() => first.resolve({ status: 'not-asked' }), FIRST_REQUEST_MS);
      return first.promise.finally(() => clearTimeout(timer));
    },
  };
}
