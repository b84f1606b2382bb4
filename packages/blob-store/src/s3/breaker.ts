import { Fault } from '@attache/contracts';
import { S3AnswerError, S3ConnectionError } from './fault.ts';

const FAILURES_TO_OPEN = 5;
const PROBE_EVERY_MS = 1000;

/**
 * Refuses work at once while the server is down: before a body is read, before a connection is tried. It opens after five failures
 * with no success between them, and closes when `probe`, run every second, succeeds.
 */
export function createBreaker(probe: () => Promise<void>) {
  let failures = 0;
  let isOpen = false;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;

  function probeSoon(): void {
    if (isClosed) return;
    timer = setTimeout(() => {
      probe().then(() => {
        isOpen = false;
        failures = 0;
      }, probeSoon);
    }, PROBE_EVERY_MS);
    timer.unref();
  }

  function noteFailure(): void {
    failures += 1;
    if (isOpen || failures < FAILURES_TO_OPEN) return;
    isOpen = true;
    probeSoon();
  }

  return {
    async run<T>(work: () => Promise<T>): Promise<T> {
      if (isOpen) throw createRefusal();
      try {
        const result = await work();
        failures = 0;
        return result;
      } catch (error) {
        if (isOutage(error)) noteFailure();
        throw error;
      }
    },
    isOpen: () => isOpen,
    close(): void {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

// An error of the body or of the disk says nothing about the server.
function isOutage(error: unknown): boolean {
  if (!(error instanceof Fault) || error.code !== 'STORAGE_UNAVAILABLE') return false;
  return error.cause instanceof S3AnswerError || error.cause instanceof S3ConnectionError;
}

function createRefusal(): Fault {
  return new Fault('STORAGE_UNAVAILABLE', 'The blob store does not answer; try again in a few seconds.', {
    retryable: true,
    retryAfterSeconds: 2,
  });
}
