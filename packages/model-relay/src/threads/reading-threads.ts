import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Logger } from '@attache/telemetry';
import { type BodyReader, createBodyReader } from './body-reader.ts';
import { STEP_BYTES } from './step-filler.ts';
import type { BodyReading, FromThread, ToThread } from './thread-messages.ts';

const MAX_THREADS = Math.max(1, Math.min(2, availableParallelism() - 1));
/** Bodies at once in all threads. More are read where they pass. */
const MAX_BODIES = 32;
/** Steps that are kept for what comes next. */
const MAX_KEPT = 16;
/** Limit for the thread's own needs: reading a body takes less than 4. */
const MAX_HEAP_MEGABYTES = 256;

type Body = ReturnType<typeof createBodyReader>;
type Thread = { readonly worker: Worker; readonly bodies: Map<number, Body>; hasRead: boolean };

type Options = {
  readonly log: Logger;
  /** The program of a thread. */
  readonly program?: URL | undefined;
  readonly stepBytes?: number;
};

const ownProgram = new URL('./thread.ts', import.meta.url);

export type ReadingThreads = {
  /** Undefined if there is no thread for it. */
  open(reading: BodyReading): BodyReader | undefined;
  close(): Promise<void>;
};

/**
 * Threads that read large bodies, started when they are needed; they keep no process alive. One that ends is replaced, and its bodies are lost
 * to it. Where one ends before it has read any, no other is started.
 */
export function createReadingThreads({ log, program = ownProgram, stepBytes = STEP_BYTES }: Options): ReadingThreads {
  const threads = new Set<Thread>();
  const kept: ArrayBuffer[] = [];
  let isUsable = true;
  let nextId = 0;

  function start(): Thread {
    const worker = startWorker(program, log);
    const thread: Thread = { worker, bodies: new Map(), hasRead: false };
    worker.on('message', (message: FromThread) => {
      thread.hasRead ||= message.kind === 'read';
      const body = thread.bodies.get(message.id);
      if (body !== undefined) body.onMessage(message);
      else if (message.kind === 'free') keepStep(message.step);
    });
    worker.once('exit', () => {
      threads.delete(thread);
      isUsable &&= thread.hasRead;
      for (const body of thread.bodies.values()) body.onLost();
    });
    threads.add(thread);
    return thread;
  }

  function keepStep(step: ArrayBuffer): void {
    if (kept.length < MAX_KEPT) kept.push(step);
  }

  function choose(): Thread {
    const [least] = [...threads].sort((a, b) => a.bodies.size - b.bodies.size);
    return least === undefined || (least.bodies.size > 0 && threads.size < MAX_THREADS) ? start() : least;
  }

  const countBodies = (): number => [...threads].reduce((sum, { bodies }) => sum + bodies.size, 0);

  return {
    open(reading) {
      if (!isUsable || countBodies() >= MAX_BODIES) return undefined;
      const { worker, bodies } = choose();
      nextId += 1;
      const id = nextId;
      const body = createBodyReader(id, reading, {
        say: (message: ToThread, transferred = []) => worker.postMessage(message, transferred),
        takeStep: () => kept.pop() ?? new ArrayBuffer(stepBytes),
        keepStep,
        onOver: () => void bodies.delete(id),
      });
      bodies.set(id, body);
      return body;
    },
    async close() {
      isUsable = false;
      await Promise.all([...threads].map(({ worker }) => worker.terminate()));
    },
  };
}

function startWorker(program: URL, log: Logger): Worker {
  const worker = new Worker(program, { resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MEGABYTES } });
  worker.unref();
  // Its message may repeat what a request says.
  worker.once('error', ({ name, code }: NodeJS.ErrnoException) =>
    log.error({ name, code }, 'A thread that reads requests to a model API failed.'),
  );
  return worker;
}
