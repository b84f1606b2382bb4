import type { ChildProcess } from 'node:child_process';
import { findWorkerPid, holdParent, killWorker, releaseParent } from './spawn-worker.ts';
import { lowerPriority } from './watch/lower-priority.ts';
import { watchMemory } from './watch/watch-memory.ts';
import { watchProcessor } from './watch/watch-processor.ts';
import { figuresOf } from './watch/worker-figures.ts';

/** Why a worker ended before it had answered. `reason` completes "because …" and holds no path and no bytes. */
export type WorkerDeath = { cause: 'processor-time' | 'wall-time' | 'memory' | 'crash'; reason: string };

export type AnswerLimits = {
  memoryBytes: number;
  wallTimeMs: number;
  /** Limit for this one answer; without it there is no limit. */
  processorTimeMs?: number | undefined;
  /** Processor time of this one answer after which the worker leaves the processors to others first; without it, it never does. */
  yieldAfterMs?: number | undefined;
  signal: AbortSignal;
  /** Called at the end with the processor time that the worker has used meanwhile. */
  onUsed?: ((processorMs: number) => void) | undefined;
};
export type Answer = { status: 'message'; message: unknown } | { status: 'died'; death: WorkerDeath };

/**
 * Waits for the worker's next message or its end, and kills it when it passes a limit. Settles only once a killed worker is gone.
 * Throws the signal's reason when the worker was ended for it.
 */
export async function awaitAnswer(child: ChildProcess, limits: AnswerLimits): Promise<Answer> {
  const kill: { death?: WorkerDeath } = {};
  holdParent(child);
  const enforcing = enforceLimits(child, limits, (death) => {
    kill.death ??= death;
    killWorker(child);
  });
  try {
    const answer = await receiveAnswer(child, () => {
      enforcing.look();
      return kill.death === undefined;
    });
    if (answer.status === 'message') return answer;
    limits.signal.throwIfAborted();
    return { status: 'died', death: kill.death ?? answer.death };
  } finally {
    enforcing.stop();
    releaseParent(child);
  }
}

function enforceLimits(child: ChildProcess, limits: AnswerLimits, end: (death: WorkerDeath) => void) {
  const { memoryBytes, wallTimeMs, processorTimeMs = Infinity, yieldAfterMs = Infinity, signal } = limits;
  const pid = findWorkerPid(child);
  const figures = figuresOf(child, pid);
  const onLate = () => end({ cause: 'wall-time', reason: `it took longer than ${wallTimeMs} ms` });
  const onExceeded = () => end({ cause: 'memory', reason: `it used more than ${memoryBytes} bytes of memory` });
  const onCostly = () => end({ cause: 'processor-time', reason: `it used ${processorTimeMs} ms of processor time` });
  const onAbort = () => end({ cause: 'crash', reason: 'it was told to stop' });
  const timer = setTimeout(onLate, wallTimeMs);
  const memory = watchMemory(figures, memoryBytes, onExceeded);
  const stopProcessor = watchProcessor(figures, [
    { limitMs: yieldAfterMs, onExceeded: () => lowerPriority(pid) },
    { limitMs: processorTimeMs, onExceeded: onCostly },
  ]);
  signal.addEventListener('abort', onAbort);
  if (signal.aborted) onAbort();
  const stop = () => {
    clearTimeout(timer);
    memory.stop();
    const usedMs = stopProcessor();
    limits.onUsed?.(usedMs);
    signal.removeEventListener('abort', onAbort);
  };
  return { look: memory.look, stop };
}

function receiveAnswer(child: ChildProcess, isWanted: () => boolean): Promise<Answer> {
  return new Promise((resolve) => {
    const settle = (answer: Answer) => {
      child.off('message', onMessage).off('exit', onExit).off('error', onError);
      resolve(answer);
    };
    const crash = (reason: string) => settle({ status: 'died', death: { cause: 'crash', reason } });
    const onMessage = (message: unknown) => {
      if (isWanted()) settle({ status: 'message', message });
    };
    const onExit = (code: number | null, signal: string | null) => crash(`it ended with ${signal ?? `code ${code}`}`);
    const onError = () => {
      if (child.pid === undefined) crash('it could not be spawned');
    };
    child.on('message', onMessage).on('exit', onExit).on('error', onError);
    if (child.exitCode !== null || child.signalCode !== null) onExit(child.exitCode, child.signalCode);
  });
}
