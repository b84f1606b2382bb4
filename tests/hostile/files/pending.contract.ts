import { rm } from 'node:fs/promises';
import type { StackLimits } from '@attache/standalone';
import { copyTemplateFolder, makePng, spawnStack } from '@attache/test-harness';
import { expect, it } from 'vitest';
import { isRunning, listDescendants, type ProcessIdentity } from '../../faults/processes.ts';
import { expectFailure } from '../fixtures/failure-fixture.ts';

/** `afterMs`: for how long such a message waits. */
export type Pending = { limits: StackLimits | undefined; afterMs: number };

export function itSaysPending({ limits, afterMs }: Pending): void {
  it('attachment_pending: what is still being inspected is waited for, then said, to be tried again unedited [DL-42]', async () => {
    const dataDir = await copyTemplateFolder();
    const slow = await spawnStack(dataDir, { ATTACHE_MEDIA_WORKERS: '1' }, { limits });
    const { session, agent } = await slow.api.createSession();
    // The one worker is there once it has read a file; stopped, it keeps the only place.
    await slow.api.inspected((await slow.api.upload(session.id, makePng(7, 7))).attachment.id);
    const workers = await stopWorkers(slow.process.pid ?? 0);
    try {
      const { attachment } = await slow.api.upload(session.id, makePng(8, 8));
      const body = { to: [agent.id], text: 'x', attachmentIds: [attachment.id] };
      const answer = await slow.api.call('POST', `/sessions/${session.id}/messages`, { body });
      expect([answer.status, answer.body.code, answer.body.retryable]).toEqual([409, 'ATTACHMENT_PENDING', true]);
      expectFailure(answer.body.failures?.[0], 'attachment_pending');
      expect(answer.body.failures?.[0]?.diagnostic).toBe(`not inspected after ${afterMs} ms`);
      expect(answer.headers.get('retry-after')).not.toBeNull();
      await workers.release('SIGCONT');
      expect((await slow.api.inspected(attachment.id)).status).toBe('ready');
    } finally {
      // Those that were stopped hear nothing else.
      await slow.end('SIGKILL');
      await workers.release('SIGKILL');
      await rm(dataDir, { recursive: true, force: true });
    }
  });
}

function signalIfThere({ pid }: ProcessIdentity, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has just ended by itself.
  }
}

/** Stops the processes below a process until they are released. */
async function stopWorkers(pid: number): Promise<{ release(signal: 'SIGCONT' | 'SIGKILL'): Promise<void> }> {
  const stopped = await listDescendants(pid);
  for (const worker of stopped) signalIfThere(worker, 'SIGSTOP');
  return {
    async release(signal) {
      for (const worker of stopped) if (await isRunning(worker)) signalIfThere(worker, signal);
    },
  };
}
