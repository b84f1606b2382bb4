import { mkdir, rm } from 'node:fs/promises';
import type { BusMessage } from '@attache/contracts';
import type { Settlement } from '@attache/event-bus';
import { executePlan } from './execute-plan.ts';
import { executeProjection } from './execute-projection.ts';
import { inspectAttachment } from './inspect-attachment.ts';
import type { ProjectorDeps } from './projector-deps.ts';
import { createTenantShares } from './tenant-shares.ts';
import { createPreviews, type Previews } from './variants/previews.ts';

export type { ProjectorDeps } from './projector-deps.ts';

export type RunningProjector = {
  /** Takes no more messages, ends all media work, puts its messages back, and waits for the other messages in work. */
  stop(): Promise<void>;
};

type Deps = ProjectorDeps & { previews: Previews };

// If there was nothing to do, the ring may have come before the row that it announces.
const settledBy = (hasEffect: boolean): Settlement => (hasEffect ? { as: 'ack', isSettled: true } : { as: 'left' });

async function handle(deps: Deps, message: BusMessage, head: unknown): Promise<Settlement> {
  switch (message.subject) {
    case 'attachment.added':
      return settledBy(await inspectAttachment(deps, message, head));
    case 'delivery.queued':
      return settledBy(await executePlan(deps, message));
    case 'projection.requested':
      return settledBy(await executeProjection(deps, message));
    default:
      return { as: 'term', reason: `the projector does not take ${message.subject}` };
  }
}

/** Messages in hand for each that may be in work: most of them wait for a worker. */
const WINDOW = 4;

/** Starts inspecting attachments and executing plans. */
export async function startProjector(deps: ProjectorDeps): Promise<RunningProjector> {
  // Files in work of a process that was killed are nobody's.
  await rm(deps.workFolder, { recursive: true, force: true });
  await mkdir(deps.workFolder, { recursive: true, mode: 0o700 });
  // One tenant leaves as many places as may be in work to others.
  const tenantShare = deps.concurrency * (WINDOW - 1);
  const shares = createTenantShares(tenantShare);
  const previews = createPreviews();
  const handling = { ...deps, previews };
  const consumer = deps.bus.consume({
    consumer: 'projector',
    concurrency: deps.concurrency * WINDOW,
    tenantShare,
    handle(message, head) {
      previews.postpone();
      const work = { id: message.id, tenantId: message.data.tenantId };
      return shares.run(work, () => handle(handling, message, head));
    },
    checkStore: () => deps.blobs.checkReady(),
  });
  return {
    async stop() {
      // A message may wait minutes for a worker. It is put back, and the next consumer begins it again.
      const stopped = consumer.stop();
      await deps.media[Symbol.asyncDispose]();
      await stopped;
      await previews.settle();
    },
  };
}
