import { randomUUID } from 'node:crypto';
import { openDurableSteps } from './steps/durable-steps.ts';
import { readFloorConfig } from './steps/floor-config.ts';
import { openObjectStore } from './steps/object-store.ts';
import { answerJson, serveFloor } from './steps/serve-floor.ts';
import { openWorkQueue } from './steps/work-queue.ts';

// A bare relay: Node's http, sha256 and one presigned PUT, with the steps that make an upload of the product durable. In front of the
// answer these are: read the key, commit the reservation, PUT under a condition, commit the record (attachment, name, bytes in use, log,
// message). Behind it: claim, publish and mark the message about it; relay-inspect.ts does what the consumer of that message does.

const config = readFloorConfig();
const steps = openDurableSteps(config.databaseUrl);
const store = openObjectStore(config.store);
const queue = await openWorkQueue(config.natsUrl);
// Replaces the API key that every request looks up.
const keyId = randomUUID();
await steps.commit({ step: 'key', record: { id: keyId, isNew: true } });

const TENANT = 'tenant';
// The log of the one session into which all is uploaded.
const LOG = 'uploads';

const unfinished = new Set<string>();
let finish = Promise.withResolvers<void>();
queue.listen('inspected', (id) => {
  unfinished.delete(id);
  if (unfinished.size === 0) finish.resolve();
});

async function publish(id: string, messageId: string): Promise<void> {
  await steps.moveMessage(messageId, 'claimed');
  await queue.publish('inspect', messageId, id);
  await steps.moveMessage(messageId, 'published');
}

serveFloor(async (request, response) => {
  if (request.method === 'GET') {
    // Returns when nothing is left to be done in the background.
    while (unfinished.size > 0) await finish.promise;
    return answerJson(response, 200, {});
  }
  await steps.read(keyId);
  const id = randomUUID();
  await steps.commit({ step: 'reserved', record: { id, isNew: true, data: { key: id } }, counter: TENANT });
  const sha256 = await store.put(id, request, Number(request.headers['content-length']));
  const messageId = randomUUID();
  await steps.commit({
    ...{ step: 'stored', record: { id, data: { sha256 } }, counter: TENANT, factCount: 2 },
    ...{ log: { id: LOG, events: 1, about: id }, message: messageId },
  });
  if (unfinished.size === 0) finish = Promise.withResolvers();
  unfinished.add(id);
  answerJson(response, 201, { id, sha256 });
  await publish(id, messageId);
});
