import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openDurableSteps } from './steps/durable-steps.ts';
import { readFloorConfig } from './steps/floor-config.ts';
import { openObjectStore } from './steps/object-store.ts';
import { sayReady } from './steps/serve-floor.ts';
import { openWorkQueue } from './steps/work-queue.ts';

// The steps after an upload: read the record, GET the bytes into a file as an inspection needs them, commit, settle. It inspects nothing.

// As many at once as the projector takes by default.
const CONCURRENCY = 4;
const LOG = 'uploads';

const config = readFloorConfig();
const steps = openDurableSteps(config.databaseUrl);
const store = openObjectStore(config.store);
const queue = await openWorkQueue(config.natsUrl);

async function inspect(messageId: string, id: string): Promise<void> {
  const { key = '' } = await steps.read(id);
  const path = join(config.folder, id);
  await store.fetchToFile(key, path);
  await rm(path);
  const log = { id: LOG, events: 1, about: id };
  await steps.commit({ step: 'inspected', record: { id }, handles: messageId, log });
  queue.ring('inspected', id);
  await steps.moveMessage(messageId, 'settled');
}

sayReady();
await queue.consume('inspect', CONCURRENCY, inspect);
