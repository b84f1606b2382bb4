import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { openDurableSteps } from './steps/durable-steps.ts';
import { readFloorConfig } from './steps/floor-config.ts';
import { answerJson, serveFloor } from './steps/serve-floor.ts';
import { openWorkQueue } from './steps/work-queue.ts';

// First of three programs that bring a message to an agent with the product's steps and nothing else. In front of the answer: read the key,
// read what the message names, commit the message. Behind it: claim, publish and mark its delivery. A follower gets a line for
// each step, read from the database when a bell rings, as followers of the product's log do.

const config = readFloorConfig();
const steps = openDurableSteps(config.databaseUrl);
const queue = await openWorkQueue(config.natsUrl);
const keyId = randomUUID();
await steps.commit(keyId, 'key');

let followers: ServerResponse[] = [];
let last: Promise<unknown> = Promise.resolve();
queue.listen('moved', (text) => {
  const [id = '', step] = text.split(' ');
  last = last.then(async () => {
    await steps.read(id);
    for (const follower of followers) follower.write(`${id} ${step}\n`);
  });
});

serveFloor(async (request, response) => {
  if (request.method === 'GET') {
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.flushHeaders();
    followers.push(response);
    await once(response, 'close');
    followers = followers.filter((follower) => follower !== response);
    return;
  }
  const { agentId, attachmentId } = (await json(request)) as Record<string, string>;
  await steps.read(keyId);
  await steps.read(attachmentId ?? '');
  const id = randomUUID();
  await steps.commit(id, 'queued', { agentId: agentId ?? '', attachmentId: attachmentId ?? '' });
  answerJson(response, 202, { id });
  await steps.moveRelaxed(id, 'claimed by the relay');
  await queue.publish('prepare', id);
  await steps.moveRelaxed(id, 'published');
});
