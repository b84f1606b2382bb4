import type { IncomingMessage } from 'node:http';
import type { AgentRelay } from '../agent-relays.ts';
import { type FoundRoute, findRoute } from '../api/find-route.ts';
import { findRefusedHeader } from '../api/request-headers.ts';
import { judgeModel } from '../body/judge-model.ts';
import type { RefusalCode, RelayedRequest } from '../relay-types.ts';
import type { RelayUrl } from './read-url.ts';

export type Admitted = {
  readonly status: 'admitted';
  readonly route: Extract<FoundRoute, { status: 'found' }>;
  readonly isInTurn: boolean;
};
/** `kind` and `model` as far as they are known. */
type Refused = {
  readonly status: 'refused';
  readonly code: RefusalCode;
  readonly kind: RelayedRequest['kind'];
  readonly model?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly field?: string | undefined;
};

/** Whether the head of a request of this agent may pass, if there is room for one more. The order is that of what a program can do about it. */
export function admitRequest(
  relay: AgentRelay,
  incoming: IncomingMessage,
  url: RelayUrl,
  hasRoom: boolean,
): Admitted | Refused {
  const { headers } = incoming;
  if (/\bwebsocket\b/i.test(headers.upgrade ?? ''))
    return { status: 'refused', code: 'relay_websocket_refused', kind: 'websocket' };
  const route = readRoute(relay, incoming, url);
  if (route.status === 'unknown') return { status: 'refused', code: 'relay_path_unknown', kind: 'unknown' };
  if (route.status === 'wrong-method') return { status: 'refused', code: 'relay_method_refused', kind: 'unknown' };

  const { kind, model } = route;
  const field = findRefusedHeader(Object.keys(headers));
  if (field !== undefined) return { status: 'refused', code: 'relay_header_refused', kind, model, field };
  const isInTurn = relay.access.isInTurn();
  // Room may be made in one that is too large as it comes.
  const maxBytes = relay.access.overflow?.isLikely(lengthOf(incoming)) ? undefined : relay.access.maxRequestBytes;
  const code =
    judgeFraming(incoming, maxBytes) ??
    (isInTurn || relay.access.errands.some((errand) => errand.kind === kind) ? undefined : 'relay_outside_turn') ??
    (model === undefined ? undefined : judgeModel(relay.access, { kind, isInTurn }, model)) ??
    (hasRoom ? undefined : 'relay_too_many_requests');
  if (code !== undefined) return { status: 'refused', code, kind, model };
  const retryAfterSeconds = kind === 'generate' ? relay.access.findQuotaWait?.() : undefined;
  if (retryAfterSeconds === undefined) return { status: 'admitted', route, isInTurn };
  return { status: 'refused', code: 'relay_tenant_quota', kind, model, retryAfterSeconds };
}

function readRoute({ access, root }: AgentRelay, { method = '' }: IncomingMessage, url: RelayUrl): FoundRoute {
  if (!url.path.startsWith(`${root}/`)) return { status: 'unknown' };
  const path = url.path.slice(root.length);
  return findRoute(access.endpoint.api, { method, path, query: new URLSearchParams(url.search) });
}

/** Node's parser has refused contradictory framing: two lengths, or a length with chunks. */
function judgeFraming(incoming: IncomingMessage, maxBytes = Number.POSITIVE_INFINITY): RefusalCode | undefined {
  const { method, headers } = incoming;
  const { 'content-encoding': encoding = 'identity', 'transfer-encoding': coding = 'chunked' } = headers;
  if (!/^identity$/i.test(encoding) || !/^chunked$/i.test(coding)) return 'relay_encoding_refused';
  const lengthBytes = lengthOf(incoming) ?? 0;
  const hasBody = lengthBytes > 0 || headers['transfer-encoding'] !== undefined;
  if (method === 'GET' && hasBody) return 'relay_body_malformed';
  return lengthBytes > maxBytes ? 'relay_body_too_large' : undefined;
}

/** The length of a body, where its head says one. */
export function lengthOf({ headers }: Pick<IncomingMessage, 'headers'>): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}
