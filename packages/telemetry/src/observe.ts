import { monitorEventLoopDelay } from 'node:perf_hooks';
import { metrics, type ObservableGauge } from '@opentelemetry/api';

// Gauges that are read when /metrics is asked for. Call these after the telemetry has started; each answers how to stop.

/** The messages that wait between the database and its consumers. */
export type Backlog = {
  /** Messages of the outbox that nobody was given yet. */
  waiting: number;
  /** Messages that the broker has and no consumer has settled. */
  published: number;
  /** Age of the oldest waiting message; 0 without one. */
  oldestMs: number;
};

const gauge = (name: string, description: string, unit = ''): ObservableGauge =>
  metrics.getMeter('attache').createObservableGauge(name, { description, unit });

const READ_TIMEOUT_MS = 1_500;

// A series without a value would keep its last one, as if all were well.
async function readOrUndefined<T>(read: () => Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), READ_TIMEOUT_MS);
  });
  try {
    return await Promise.race([read(), timeout]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

/** Shows the backlog of the outbox. Where it cannot be read in time its series are NaN, and /metrics answers all the same. */
export function observeBacklog(read: () => Promise<Backlog>): () => void {
  const meter = metrics.getMeter('attache');
  const rows = gauge('attache.outbox.messages', 'Messages in the outbox that are not settled, by state.');
  const age = gauge('attache.outbox.oldest.age_seconds', 'Age of the oldest waiting message.', 's');
  const instruments = [rows, age];
  const observe: Parameters<typeof meter.addBatchObservableCallback>[0] = async (result) => {
    const backlog = await readOrUndefined(read);
    result.observe(rows, backlog?.waiting ?? Number.NaN, { state: 'waiting' });
    result.observe(rows, backlog?.published ?? Number.NaN, { state: 'published' });
    result.observe(age, (backlog?.oldestMs ?? Number.NaN) / 1000);
  };
  meter.addBatchObservableCallback(observe, instruments);
  return () => meter.removeBatchObservableCallback(observe, instruments);
}

/** Shows how many dead letters wait for the operator; NaN where they cannot be counted in time. */
export function observeDeadLetters(count: () => Promise<number>): () => void {
  const dead = gauge('attache.dead.letters', 'Dead letters that were not replayed.');
  const observe: Parameters<typeof dead.addCallback>[0] = async (result) =>
    result.observe((await readOrUndefined(count)) ?? Number.NaN);
  dead.addCallback(observe);
  return () => dead.removeCallback(observe);
}

/** The sessions that a gateway owns, how long ago it asked for its last successful lease renewal, and its room for agents. */
export type OwnershipGauges = { sessions: number; leaseAgeMs: number; room: number; waiting: number };

/** Shows what a gateway owns. */
export function observeOwnership(read: () => OwnershipGauges): () => Promise<void> {
  const meter = metrics.getMeter('attache');
  const owned = gauge('attache.owned.sessions', 'Sessions that this gateway owns.');
  const age = gauge('attache.lease.age_seconds', 'Time since the last renewal of the lease of this gateway.', 's');
  const room = gauge('attache.agents.room', 'Agents that this gateway could start now, resting ones ended for them.');
  const waiting = gauge('attache.agents.waiting', 'Agents that wait on this gateway for room, or for their program.');
  const instruments = [owned, age, room, waiting];
  const observe: Parameters<typeof meter.addBatchObservableCallback>[0] = (result) => {
    const { sessions, leaseAgeMs, ...agents } = read();
    result.observe(room, agents.room);
    result.observe(waiting, agents.waiting);
    result.observe(owned, sessions);
    result.observe(age, leaseAgeMs / 1000);
  };
  meter.addBatchObservableCallback(observe, instruments);
  return async () => meter.removeBatchObservableCallback(observe, instruments);
}

/** Shows whether the breaker before the blob store is open: then the store does not answer, and nothing is tried. */
export function observeBreaker(isOpen: () => boolean): () => void {
  const open = gauge('attache.blob.store.breaker.open', 'Whether the breaker before the blob store is open: 0 or 1.');
  const observe: Parameters<typeof open.addCallback>[0] = (result) => result.observe(isOpen() ? 1 : 0);
  open.addCallback(observe);
  return () => open.removeCallback(observe);
}

const LAG_RESOLUTION_MS = 50;

/** Shows memory, processor time and event loop lag of this process. */
export function observeProcess(): () => void {
  const meter = metrics.getMeter('attache');
  const memory = gauge('process.resident.memory_bytes', 'Resident memory of the process.', 'By');
  const lag = gauge('nodejs.eventloop.lag.p99_seconds', 'Event loop lag since the last look, 99th percentile.', 's');
  const cpu = meter.createObservableCounter('process.cpu_seconds', {
    description: 'Processor time of the process, by mode.',
    unit: 's',
  });
  const delay = monitorEventLoopDelay({ resolution: LAG_RESOLUTION_MS });
  delay.enable();
  const instruments = [memory, lag, cpu];
  const observe: Parameters<typeof meter.addBatchObservableCallback>[0] = (result) => {
    const { user, system } = process.cpuUsage();
    result.observe(memory, process.memoryUsage.rss());
    result.observe(lag, delay.percentile(99) / 1e9);
    result.observe(cpu, user / 1e6, { mode: 'user' });
    result.observe(cpu, system / 1e6, { mode: 'system' });
    delay.reset();
  };
  meter.addBatchObservableCallback(observe, instruments);
  return () => {
    delay.disable();
    meter.removeBatchObservableCallback(observe, instruments);
  };
}
