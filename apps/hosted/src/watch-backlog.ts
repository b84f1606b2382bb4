import type { Logger } from '@attache/telemetry';

const PERIOD_MS = 1_000;

type Backlog = { waiting: number; oldestMs: number; published: number };

/** Whether too much waits to be published (W13): looked at every second, so that no request pays for it. */
export type BacklogWatch = { isFull(): boolean; stop(): Promise<void> };

export function watchBacklog(
  relay: { readBacklog(): Promise<Backlog> },
  options: { maxWaiting: number | undefined; log: Logger },
): BacklogWatch {
  let isFull = false;
  let looking: Promise<void> = Promise.resolve();
  const look = async () => {
    const { waiting } = await relay.readBacklog();
    const isFullNow = options.maxWaiting !== undefined && waiting >= options.maxWaiting;
    if (isFullNow !== isFull) options.log.warn({ waiting, isFull: isFullNow }, 'backlog.changed');
    isFull = isFullNow;
  };
  const timer = setInterval(() => {
    // While the database is down nothing is accepted anyway.
    looking = look().catch(() => {});
  }, PERIOD_MS);
  return {
    isFull: () => isFull,
    async stop() {
      clearInterval(timer);
      await looking;
    },
  };
}
