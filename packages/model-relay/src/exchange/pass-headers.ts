import type { IncomingMessage } from 'node:http';
import { keyHeaders, nameKeyHeader } from '../api/key-header.ts';
import type { ModelApi } from '../relay-types.ts';

/** Headers of one connection (RFC 9110, 7.6.1). Trailers are not passed on, so the header that announces them is not either. */
const HOP_BY_HOP = [
  ...['connection', 'proxy-connection', 'keep-alive', 'te', 'transfer-encoding', 'upgrade', 'trailer'],
  ...['proxy-authenticate', 'proxy-authorization', 'proxy-authentication-info'],
];
/** Headers that the relay sets in the program's place. Its own server has handled an Expect. */
const REPLACED = ['host', 'accept-encoding', 'expect', ...keyHeaders];

const ofAnswers: ReadonlySet<string> = new Set(HOP_BY_HOP);
const ofRequests: ReadonlySet<string> = new Set([...HOP_BY_HOP, ...REPLACED]);
const ofOtherLengths: ReadonlySet<string> = new Set([...ofRequests, 'content-length']);

export type Passing = {
  readonly api: ModelApi;
  readonly host: string;
  readonly key: string | undefined;
  /** The length of the body, if it is known and differs from what the program announced. */
  readonly lengthBytes?: number | undefined;
};

/** The headers for the provider, as names and values in turn. */
export function passRequestHeaders(incoming: IncomingMessage, { api, host, key, lengthBytes }: Passing): string[] {
  const isOtherLength = lengthBytes !== undefined;
  return [
    ...['Host', host],
    ...dropHeaders(incoming, isOtherLength ? ofOtherLengths : ofRequests),
    ...(isOtherLength ? ['Content-Length', String(lengthBytes)] : []),
    // A compressed answer could not be read on its way.
    ...['Accept-Encoding', 'identity'],
    ...(key === undefined ? [] : nameKeyHeader(api, key)),
  ];
}

/** The headers for the program, as names and values in turn. */
export const passAnswerHeaders = (answer: IncomingMessage): string[] => dropHeaders(answer, ofAnswers);

function dropHeaders({ headers, rawHeaders }: IncomingMessage, dropped: ReadonlySet<string>): string[] {
  const named = new Set((headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase()));
  // Without its length the body would be framed in another way.
  named.delete('content-length');
  const kept: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = [rawHeaders[at], rawHeaders[at + 1]];
    const folded = name.toLowerCase();
    if (!dropped.has(folded) && !named.has(folded)) kept.push(name, value);
  }
  return kept;
}
