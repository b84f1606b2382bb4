import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { defaultMediaPoolOptions } from '../pool/media-pool-options.ts';
import { holdParent, spawnWorker } from '../pool/spawn-worker.ts';

// A parent that waits for its stuck worker. Prints the worker's pid.
const workerPath = fileURLToPath(new URL('../worker/__fixtures__/stuck.ts', import.meta.url));
const worker = spawnWorker({ ...defaultMediaPoolOptions, workerPath });
holdParent(worker);
await once(worker, 'message');
process.stdout.write(String(worker.pid));
