import { randomUUID } from 'node:crypto';
import { openDurableSteps } from './steps/durable-steps.ts';
import { readFloorConfig } from './steps/floor-config.ts';
import { sayReady } from './steps/serve-floor.ts';
import { openWorkQueue } from './steps/work-queue.ts';

// Second of the three: read the delivery with what it names, commit its parts, then claim, publish and mark the word to the gateway; settle.

const CONCURRENCY = 4;

const config = readFloorConfig();
const steps = openDurableSteps(config.databaseUrl);
const queue = await openWorkQueue(config.natsUrl);

async function prepare(handledId: string, id: string): Promise<void> {
  const { sessionId = '', agentId = '', key = '' } = await steps.readWithNamed(id);
  const messageId = randomUUID();
  await steps.commit({
    ...{ step: 'prepared', record: { id, data: { parts: key } }, isTimed: true, handles: handledId },
    ...{ log: { id: sessionId, events: 1, about: id }, message: messageId },
  });
  queue.ring('log', sessionId);
  void publish(messageId, `${id},${agentId}`);
  void steps.moveMessage(handledId, 'settled');
}

async function publish(messageId: string, text: string): Promise<void> {
  await steps.moveMessage(messageId, 'claimed');
  await queue.publish('write', messageId, text);
  await steps.moveMessage(messageId, 'published');
}

sayReady();
await queue.consume('prepare', CONCURRENCY, prepare);
