import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Logger } from '@attache/telemetry';
import { type BodyReader, createBodyReader, MAX_STEPS, STEP_BYTES } from './body-reader.ts';
import type { BodyReading, FromThread, ToThread } from './thread-messages.ts';

const MAX_THREADS = Math.max(1, Math.min(2, availableParallelism() - 1));
/** Bodies at once in all threads, each with its steps. More are read where they pass. */
const MAX_BODIES = 32;
/** Of steps that are kept for the next bodies, in those of one body. */
const MAX_KEPT = 4;
/** Of what the thread itself needs: a body is read with less than 4. */
const MAX_HEAP_MEGABYTES = 256;

type Body = ReturnType<typeof createBodyReader>;
type Thread = { readonly worker: Worker; readonly bodies: Map<number, Body>; hasRead: boolean };

type Options = {
  readonly log: Logger;
  /** What a thread runs. */
  readonly program?: URL | undefined;
  readonly stepBytes?: number;
};

const ownProgram = new URL('./thread.ts', import.meta.url);

export type ReadingThreads = {
  /** Undefined where there is no thread for it. */
  open(reading: BodyReading): BodyReader | undefined;
  close(): Promise<void>;
};

/**
 * Threads that read large bodies, started when they are needed; they keep no process alive. One that ends is replaced, and its bodies are lost
 * to it. Where one ends before it has read any, no other is started.
 */
export function createReadingThreads({ log, program = ownProgram, stepBytes = STEP_BYTES }: Options): ReadingThreads {
  const threads = new Set<Thread>();
  const kept: SharedArrayBuffer[][] = [];
  let isUsable = true;
  let nextId = 0;

  function start(): Thread {
    const worker = new Worker(program, { resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MEGABYTES } });
    const thread: Thread = { worker, bodies: new Map(), hasRead: false };
    worker.unref();
    worker.on('message', (message: FromThread) => {
      thread.hasRead ||= message.kind === 'read';
      thread.bodies.get(message.id)?.onMessage(message);
    });
    // Its message may repeat what a request says.
    worker.once('error', (error: NodeJS.ErrnoException) =>
      log.error({ name: error.name, code: error.code }, 'A thread that reads requests to a model API failed.'),
    );
    worker.once('exit', () => {
      threads.delete(thread);
      isUsable &&= thread.hasRead;
      for (const body of thread.bodies.values()) body.onLost();
    });
    threads.add(thread);
    return thread;
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
      const steps = kept.pop() ?? Array.from({ length: MAX_STEPS }, () => new SharedArrayBuffer(stepBytes));
      nextId += 1;
      const id = nextId;
      const body = createBodyReader(id, steps, reading, {
        say: (message: ToThread) => worker.postMessage(message),
        onOver() {
          bodies.delete(id);
          if (kept.length < MAX_KEPT) kept.push(steps);
        },
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
