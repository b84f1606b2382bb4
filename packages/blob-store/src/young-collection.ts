import { setFlagsFromString } from 'node:v8';
import { createContext, runInContext } from 'node:vm';

/** Hears how many bytes pass, chunk by chunk: of what is put into a store, and of what is read from a server. */
export type OnBytes = (sizeBytes: number) => void;

/**
 * Has V8 collect its young generation after every `everyBytes` that pass: fewer than the 64 MiB after which it would mark its whole heap. The buffers of a body
 * are garbage once they are sent, but the few objects besides them do not fill the young generation.
 */
export function createYoungCollection(everyBytes: number, collect: () => void = createCollection()): OnBytes {
  let passedBytes = 0;
  return (sizeBytes) => {
    passedBytes += sizeBytes;
    if (passedBytes < everyBytes) return;
    passedBytes = 0;
    collect();
  };
}

// Made at its first use: through most processes so much never passes.
function createCollection(): () => void {
  let collectGarbage: NodeJS.GCFunction | undefined;
  return () => {
    collectGarbage ??= exposeCollection();
    collectGarbage({ type: 'minor' });
  };
}

/** V8 offers its collections only to contexts that are made while this flag is set: here to one that nothing else runs in. */
function exposeCollection(): NodeJS.GCFunction {
  setFlagsFromString('--expose-gc');
  const context = createContext();
  setFlagsFromString('--no-expose-gc');
  return runInContext('gc', context) as NodeJS.GCFunction;
}
