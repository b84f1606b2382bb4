import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { openDurableSteps } from './steps/durable-steps.ts';
import { readFloorConfig } from './steps/floor-config.ts';
import { answerJson, serveFloor } from './steps/serve-floor.ts';
import { openWorkQueue } from './steps/work-queue.ts';

// First of three programs that bring a message to an agent with the product's steps and nothing else. In front of the answer: read the key,
// read what the message names, commit the message (its text, what it names, a grant, the delivery, two events, a message for the next).
// Behind it: claim, publish and mark. A follower gets a line for each event, read from the log when its doorbell rings, as followers of
// the product's log do.

const config = readFloorConfig();
const steps = openDurableSteps(config.databaseUrl);
const queue = await openWorkQueue(config.natsUrl);
const keyId = randomUUID();
await steps.commit({ step: 'key', record: { id: keyId, isNew: true } });

/** The followers of one session, and how far they have come. */
type Followed = { followers: Set<ServerResponse>; seq: number; last: Promise<void> };

const sessions = new Map<string, Followed>();

async function passOn(log: string, followed: Followed): Promise<void> {
  for (const { seq, id, step } of await steps.readLog(log, followed.seq)) {
    followed.seq = seq;
    for (const follower of followed.followers) follower.write(`${id} ${step}\n`);
  }
}

function ring(log: string): void {
  const followed = sessions.get(log);
  if (followed) followed.last = followed.last.then(() => passOn(log, followed));
}

queue.listen('log', ring);

serveFloor(async (request, response) => {
  if (request.method === 'GET') {
    const log = request.url?.slice(1) ?? '';
    const followed: Followed = sessions.get(log) ?? { followers: new Set(), seq: 0, last: Promise.resolve() };
    sessions.set(log, followed);
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.flushHeaders();
    followed.followers.add(response);
    await once(response, 'close');
    followed.followers.delete(response);
    return;
  }
  const { sessionId = '', agentId = '', attachmentId = '' } = (await json(request)) as Record<string, string>;
  await steps.read(keyId);
  await steps.read(attachmentId);
  const [id, messageId] = [randomUUID(), randomUUID()];
  await steps.commit({
    ...{ step: 'queued', record: { id, isNew: true, data: { sessionId, agentId, attachmentId } }, isTimed: true },
    ...{ factCount: 4, log: { id: sessionId, events: 2, about: id }, message: messageId },
  });
  ring(sessionId);
  answerJson(response, 202, { id });
  await steps.moveMessage(messageId, 'claimed');
  await queue.publish('prepare', messageId, id);
  await steps.moveMessage(messageId, 'published');
});
