import type { IncomingMessage } from 'node:http';
import { nameKeyHeader } from '../api/key-header.ts';
import { isPassedHeader } from '../api/request-headers.ts';
import type { ModelApi } from '../relay-types.ts';

/**
 * Headers of one connection (RFC 9110, 7.6.1). Trailers are not passed on, so the header that announces them is not either; and a cookie would
 * come back with the next request, which may go under another key.
 */
const ofAnswers: ReadonlySet<string> = new Set([
  ...['connection', 'proxy-connection', 'keep-alive', 'te', 'transfer-encoding', 'upgrade', 'trailer', 'set-cookie'],
  ...['proxy-authenticate', 'proxy-authorization', 'proxy-authentication-info'],
]);

export type Passing = {
  readonly api: ModelApi;
  readonly host: string;
  readonly key: string | undefined;
  /** The length of the body, if it is known and differs from what the program announced. */
  readonly lengthBytes?: number | undefined;
};

type Heads = Pick<IncomingMessage, 'headers' | 'rawHeaders'>;

/** The headers for the provider, as names and values in turn. */
export function passRequestHeaders(incoming: IncomingMessage, { api, host, key, lengthBytes }: Passing): string[] {
  const isOtherLength = lengthBytes !== undefined;
  const isPassed = (name: string) => isPassedHeader(name) && !(isOtherLength && name === 'content-length');
  return [
    ...['Host', host],
    ...keepHeaders(incoming, isPassed),
    // In another encoding the provider could read another body.
    ...(incoming.method === 'GET' ? [] : ['Content-Type', 'application/json']),
    ...(isOtherLength ? ['Content-Length', String(lengthBytes)] : []),
    // A compressed answer could not be read on its way.
    ...['Accept-Encoding', 'identity'],
    ...(key === undefined ? [] : nameKeyHeader(api, key)),
  ];
}

/** The headers for the program, as names and values in turn. */
export const passAnswerHeaders = (answer: Heads): string[] => keepHeaders(answer, (name) => !ofAnswers.has(name));

function keepHeaders({ headers, rawHeaders }: Heads, isKept: (name: string) => boolean): string[] {
  const named = new Set((headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase()));
  // Without its length the body would be framed in another way.
  named.delete('content-length');
  const kept: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = [rawHeaders[at], rawHeaders[at + 1]];
    const folded = name.toLowerCase();
    if (isKept(folded) && !named.has(folded)) kept.push(name, value);
  }
  return kept;
}
