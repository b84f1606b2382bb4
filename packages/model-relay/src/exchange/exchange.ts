import type { ClientRequest } from 'node:http';
import type { AgentRelay } from '../agent-relays.ts';
import type { AnswerWatch } from '../answer/watch-answer.ts';
import type { RelayedContent } from '../content/content-types.ts';
import type { KeyPass } from '../hold/shared-keys.ts';
import type { RelayLimits } from '../relay-limits.ts';
import type { RefusalCode, RelayedRequest } from '../relay-types.ts';
import type { UsageWatch } from '../usage/watch-usage.ts';
import { type Answering, type SentRefusal, sendRefusal } from './send-refusal.ts';

/** One request of a program, until it is answered or its connection is gone. */
export type Exchange = Answering & {
  readonly relay: AgentRelay;
  readonly limits: RelayLimits;
  startedAtMs: number;
  kind: RelayedRequest['kind'];
  model: string | undefined;
  refused: RefusalCode | undefined;
  refusedField: string | undefined;
  requestBytes: number;
  responseBytes: number;
  firstByteMs: number | undefined;
  /** The content that went out, once it is whole. */
  content: RelayedContent | undefined;
  /** Blocks that went out as texts. */
  replacedBlocks: number;
  /** Bytes of the body that were given to the disk. */
  spooledBytes: number;
  answer: AnswerWatch | undefined;
  hasLeft: boolean;
  /** Only for the response to a generating request. */
  usage: UsageWatch | undefined;
  /** Whether it waits for its turn under a key. */
  isHeld: boolean;
  /** Only for a generating request that may go. */
  pass: KeyPass | undefined;
  /** Whether the program has its whole answer, be it of the provider or of the relay. */
  isAnswered: boolean;
  /** The request to the provider, once there is one. */
  upstream: ClientRequest | undefined;
  /** Says that a byte moved. */
  touch(): void;
  /**
   * Responds in the provider's place, or breaks off an answer that has begun. Does nothing where the exchange is answered. `retryAfterSeconds`: when
   * to ask again. `field`: the part of the request that is refused.
   */
  refuse(code: RefusalCode, more?: RefusalDetails): void;
  /** Reports the request that the provider refused, and begins another one in its place. */
  renew(): void;
  /** Ends both connections. */
  end(): void;
};

export type RefusalDetails = Pick<SentRefusal, 'field' | 'retryAfterSeconds'>;

/** Begins an exchange; it ends by itself when nothing moves for `idleMs`, and with the program's connection. */
export function startExchange(relay: AgentRelay, answering: Answering, limits: RelayLimits): Exchange {
  const { outgoing } = answering;
  const timer = setTimeout(() => (exchange.isHeld ? timer.refresh() : endIdle(exchange)), limits.idleMs);
  let onEnd = relay.access.watchRequest?.();
  const exchange: Exchange = {
    ...answering,
    ...{ relay, limits, kind: 'unknown', model: undefined, refused: undefined, refusedField: undefined },
    ...{ requestBytes: 0, spooledBytes: 0, isAnswered: false, isHeld: false, pass: undefined },
    ...beginSending(),
    touch: () => void timer.refresh(),
    refuse: (code, more = {}) => refuse(exchange, code, more),
    renew() {
      onEnd?.({ ...recordExchange(exchange), status: exchange.answer?.end().status, isWhole: true, isMended: true });
      onEnd = relay.access.watchRequest?.();
      Object.assign(exchange, beginSending());
    },
    end: () => void outgoing.destroy(),
  };
  relay.exchanges.add(exchange);
  outgoing.once('close', () => {
    clearTimeout(timer);
    relay.exchanges.delete(exchange);
    if (!outgoing.writableFinished) exchange.upstream?.destroy();
    exchange.pass?.settle({ as: 'lost' });
    onEnd?.(recordExchange(exchange));
  });
  return exchange;
}

/** The facts of an exchange that are those of one request to the provider. */
const beginSending = () => ({
  startedAtMs: performance.now(),
  ...{ responseBytes: 0, firstByteMs: undefined, upstream: undefined, answer: undefined, usage: undefined },
  ...{ content: undefined, replacedBlocks: 0, hasLeft: false },
});

function refuse(exchange: Exchange, code: RefusalCode, more: RefusalDetails): void {
  const { outgoing, upstream, relay, limits } = exchange;
  if (exchange.isAnswered || outgoing.destroyed) return;
  Object.assign(exchange, { refused: code, refusedField: more.field, isAnswered: true });
  upstream?.destroy();
  // An answer of the provider that is cut short must not look whole.
  if (outgoing.headersSent) outgoing.destroy();
  else sendRefusal(exchange, { api: relay.access.endpoint.api, code, ...more, lingerMs: limits.lingerMs });
}

function endIdle(exchange: Exchange): void {
  const { incoming } = exchange;
  // Answered, and the program takes the end of it no more.
  if (exchange.isAnswered) exchange.end();
  else if (!incoming.complete && !incoming.isPaused()) exchange.refuse('relay_body_idle');
  else exchange.refuse('relay_provider_timeout');
}

function recordExchange(exchange: Exchange): RelayedRequest {
  const { relay, incoming, outgoing, kind, model, refused, refusedField, content, replacedBlocks } = exchange;
  const { requestBytes, responseBytes, firstByteMs } = exchange;
  return {
    ...{ agentId: relay.access.agentId, epoch: relay.access.epoch, method: incoming.method ?? '', kind, model },
    ...{ refused, requestBytes, responseBytes, firstByteMs },
    ...(refusedField === undefined ? {} : { refusedField }),
    status: outgoing.headersSent ? outgoing.statusCode : undefined,
    isWhole: outgoing.writableFinished,
    content,
    ...(replacedBlocks === 0 ? {} : { replacedBlocks }),
    answer: exchange.answer?.end(),
    hasLeft: exchange.hasLeft,
    usage: exchange.usage?.read(),
    isCounted: exchange.usage?.isWhole() === true,
  };
}
