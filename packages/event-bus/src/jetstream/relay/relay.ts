import { type PublisherName, RELAY_BELL_SUBJECT, type Subject, subjectsOfPublisher } from '@attache/contracts';
import { type Backlog, claimForRelay, type Database, readBacklog } from '@attache/database';
import type { Logger } from '@attache/telemetry';
import type { Doorbells } from '../../doorbells.ts';
import { createWakeLoop, type WakeLoop } from '../../outbox/wake-loop.ts';
import { restoreTopology } from '../ensure.ts';
import type { JetstreamLink } from '../link.ts';
import { type ClaimPublisher, createPublisher } from './publish.ts';
import { startReconciler } from './reconciler.ts';

export type RelayOptions = {
  db: Database;
  link: JetstreamLink;
  publisher: PublisherName;
  doorbells: Doorbells;
  log: Logger;
  /** How many messages of one tenant and subject the broker holds at a time: the fair share of the consumers. */
  windowPerTenant?: number | undefined;
  /** The fallback when a ring was lost. */
  pollMs?: number | undefined;
  /** After how long a message that was published and not settled counts as lost. */
  reconcileAfterMs?: number | undefined;
};

export type RunningRelay = {
  /** Waits for what is on its way. */
  stop(): Promise<void>;
  readBacklog(): Promise<Backlog>;
};

const WINDOW_PER_TENANT = 32;
const POLL_MS = 1_000;
const RECONCILE_AFTER_MS = 60_000;
const CLAIM_LEASE_MS = 15_000;
const MAX_CLAIM = 256;
const MAX_IN_FLIGHT = 1_024;
const FIRST_HOLD_MS = 20;
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5_000;

type RelayState = {
  options: RelayOptions;
  subjects: readonly Subject[];
  publisher: ClaimPublisher;
  loop: WakeLoop;
  inFlight: Set<Promise<void>>;
  inFlightCount: number;
  /** In a row; with their backoff. */
  failures: number;
  pausedUntil: number;
  holdMs: number;
  holdTimer?: NodeJS.Timeout | undefined;
};

/**
 * Brings what this service puts into the outbox to the broker: woken at commit, with a slow timer behind it. A message is marked as
 * published after the broker's acknowledgement, so that a relay that dies in between leaves one that is published again (W6).
 */
export function startRelay(options: RelayOptions): RunningRelay {
  const { db, link, publisher, doorbells, log, pollMs = POLL_MS } = options;
  const subjects = subjectsOfPublisher[publisher];
  const loop = createWakeLoop();
  const state: RelayState = {
    ...{ options, loop, subjects, publisher: createPublisher(options), inFlight: new Set(), inFlightCount: 0 },
    ...{ failures: 0, pausedUntil: 0, holdMs: FIRST_HOLD_MS },
  };
  const onError = (error: unknown) => log.warn({ err: error }, 'bus.claim_failed');
  loop.start({ round: () => claimRound(state), pollMs, onError });
  const { wake } = loop;
  const unlisten = subjects.map((subject) => doorbells.listen(`outbox:${subject}`, wake));
  const doorbell = link.nc.subscribe(RELAY_BELL_SUBJECT, { callback: (error) => (error ? undefined : wake()) });
  const forget = link.onReconnected(() => {
    state.pausedUntil = 0;
    wake();
  });
  const afterMs = options.reconcileAfterMs ?? RECONCILE_AFTER_MS;
  const reconciler = startReconciler({ db, link, subjects, afterMs, onLost: wake, log });
  return {
    readBacklog: () => readBacklog(db, subjects),
    async stop() {
      for (const stopListening of unlisten) stopListening();
      forget();
      doorbell.unsubscribe();
      clearTimeout(state.holdTimer);
      await Promise.all([loop.stop(), reconciler.stop()]);
      clearTimeout(state.holdTimer);
      await Promise.all(state.inFlight);
      state.publisher.stop();
    },
  };
}

// Only the claim is waited for: the next round need not wait for the broker.
async function claimRound(state: RelayState): Promise<boolean> {
  const { options, subjects } = state;
  const limit = Math.min(MAX_CLAIM, MAX_IN_FLIGHT - state.inFlightCount);
  if (limit <= 0 || !options.link.isConnected() || performance.now() < state.pausedUntil) return false;
  const windowPerTenant = options.windowPerTenant ?? WINDOW_PER_TENANT;
  const claim = { subjects, limit, leaseMs: CLAIM_LEASE_MS, windowPerTenant };
  const { messages, isHeld } = await claimForRelay(options.db, claim);
  if (messages.length > 0) {
    state.inFlightCount += messages.length;
    const sending = state.publisher.publish(messages).then((failedCount) => {
      state.inFlight.delete(sending);
      state.inFlightCount -= messages.length;
      noteOutcome(state, failedCount);
    });
    state.inFlight.add(sending);
  }
  if (isHeld) wakeWhenRoomy(state, messages.length > 0);
  return messages.length === limit;
}

function noteOutcome(state: RelayState, failedCount: number): void {
  if (failedCount === 0) {
    state.failures = 0;
    // The next claim may have waited for this one.
    if (state.inFlightCount + MAX_CLAIM >= MAX_IN_FLIGHT) state.loop.wake();
    return;
  }
  const pauseMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** state.failures) * (1 + Math.random() / 5);
  state.failures += 1;
  state.pausedUntil = performance.now() + pauseMs;
  state.loop.wakeAfter(pauseMs + 1);
  if (state.options.link.isConnected()) void restoreTopology(state.options.link);
}

// A settlement rings when it makes room; this is for the ring that was lost.
function wakeWhenRoomy(state: RelayState, isMoving: boolean): void {
  const { pollMs = POLL_MS } = state.options;
  state.holdMs = isMoving ? FIRST_HOLD_MS : Math.min(pollMs, state.holdMs * 2);
  clearTimeout(state.holdTimer);
  state.holdTimer = setTimeout(() => state.loop.wake(), state.holdMs);
}
