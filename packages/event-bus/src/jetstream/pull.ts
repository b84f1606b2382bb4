import { createInbox, type Msg, nanos, type Subscription } from '@nats-io/nats-core';
import { restoreTopology } from './ensure.ts';
import { inboxPrefixOf, type JetstreamLink } from './link.ts';
import { tell, words } from './words.ts';

/** Asks a durable consumer for messages, never for more than can be started at once. */
export type Pull = {
  /** Asks for as many as there is room for. */
  ask(): void;
  /** Asks for no more; what is on its way is given back. */
  stop(): Promise<void>;
};

type PullOptions = {
  link: JetstreamLink;
  stream: string;
  consumer: string;
  /** How many messages could be started now. */
  countRoom: () => number;
  onMessage: (message: Msg) => void;
};

/** One life of a pull. Requests of an earlier one die with its inbox. */
type PullLife = { inbox: string; subscription: Subscription; requested: number; heardAt: number };

type PullState = { options: PullOptions; life: PullLife; isStopped: boolean; retryTimer?: NodeJS.Timeout | undefined };

const EXPIRES_MS = 30_000;
const HEARTBEAT_MS = 2_000;
const SILENCE_MS = 2.5 * HEARTBEAT_MS;
const RETRY_MS = 250;
const RETRY_JITTER_MS = 250;
const DRAIN_TIMEOUT_MS = 1_000;

const REQUEST_TIMEOUT = 408;
const HEARTBEAT = 100;

/** Pulls by itself again after a reconnect or a restart of the server, and when stream or consumer were gone. */
export function startPull(options: PullOptions): Pull {
  const { link } = options;
  // The first life hears through the state, which needs it.
  const state = { options, isStopped: false } as PullState;
  state.life = begin(state);
  const watch = setInterval(() => {
    const { requested, heardAt } = state.life;
    if (requested > 0 && performance.now() - heardAt > SILENCE_MS) restartLater(state);
  }, HEARTBEAT_MS);
  const forget = link.onReconnected(() => restart(state));
  ask(state);
  return {
    ask: () => ask(state),
    async stop() {
      state.isStopped = true;
      forget();
      clearInterval(watch);
      clearTimeout(state.retryTimer);
      const { subscription } = state.life;
      if (link.nc.isClosed() || subscription.isClosed()) return;
      const tooLate = new Promise((resolve) => setTimeout(resolve, DRAIN_TIMEOUT_MS).unref());
      await Promise.race([subscription.drain().catch(() => {}), tooLate]);
    },
  };
}

function begin(state: PullState): PullLife {
  const { link } = state.options;
  const inbox = createInbox(inboxPrefixOf(link.service));
  const callback = (error: Error | null, message: Msg) => {
    if (error) restartLater(state);
    else if (message.reply?.startsWith('$JS.ACK.')) hearMessage(state, inbox, message);
    else if (inbox === state.life.inbox) hearStatus(state, message);
  };
  return { inbox, subscription: link.nc.subscribe(inbox, { callback }), requested: 0, heardAt: performance.now() };
}

function hearMessage(state: PullState, inbox: string, message: Msg): void {
  const { life, options, isStopped } = state;
  if (isStopped || inbox !== life.inbox) {
    tell(message, words.nak(0));
    return;
  }
  life.heardAt = performance.now();
  life.requested = Math.max(0, life.requested - 1);
  options.onMessage(message);
}

function hearStatus(state: PullState, { headers }: Msg): void {
  const { life } = state;
  life.heardAt = performance.now();
  const code = headers?.code;
  if (code === HEARTBEAT) return;
  if (code === REQUEST_TIMEOUT) {
    const unmet = Number(headers?.get('Nats-Pending-Messages')) || life.requested;
    life.requested = Math.max(0, life.requested - unmet);
    ask(state);
  } else {
    // The server stops, or stream or consumer are gone.
    restartLater(state);
  }
}

function ask({ life, options, isStopped }: PullState): void {
  const { link, stream, consumer, countRoom } = options;
  const batch = countRoom() - life.requested;
  if (isStopped || batch <= 0 || !link.isConnected()) return;
  // Silence counts from the first request on.
  if (life.requested === 0) life.heardAt = performance.now();
  life.requested += batch;
  const request = { batch, expires: nanos(EXPIRES_MS), idle_heartbeat: nanos(HEARTBEAT_MS) };
  link.nc.publish(`$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumer}`, JSON.stringify(request), { reply: life.inbox });
}

function restart(state: PullState): void {
  if (state.isStopped) return;
  state.life.subscription.unsubscribe();
  state.life = begin(state);
  ask(state);
}

function restartLater(state: PullState): void {
  const { link } = state.options;
  if (state.isStopped || state.retryTimer || !link.isConnected()) return;
  const retry = async () => {
    await restoreTopology(link);
    state.retryTimer = undefined;
    if (link.isConnected()) restart(state);
  };
  state.retryTimer = setTimeout(() => void retry(), RETRY_MS + Math.random() * RETRY_JITTER_MS);
}
