import { openDurableSteps } from './steps/durable-steps.ts';
import { readFloorConfig } from './steps/floor-config.ts';
import { sayReady } from './steps/serve-floor.ts';
import { openWorkQueue } from './steps/work-queue.ts';

// Second of the three: read the delivery, commit its parts, then claim, publish and mark the word to the gateway; settle.

const CONCURRENCY = 4;

const config = readFloorConfig();
const steps = openDurableSteps(config.databaseUrl);
const queue = await openWorkQueue(config.natsUrl);

async function prepare(id: string): Promise<void> {
  await steps.read(id);
  await steps.move(id, 'prepared');
  queue.ring('moved', `${id} prepared`);
  void publish(id);
}

async function publish(id: string): Promise<void> {
  await steps.moveRelaxed(id, 'claimed by the relay');
  await queue.publish('write', id);
  await steps.moveRelaxed(id, 'published');
  await steps.moveRelaxed(id, 'settled');
}

sayReady();
await queue.consume('prepare', CONCURRENCY, prepare);
